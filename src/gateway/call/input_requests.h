// The Questions that upstreams have asked clients during calls, and that wait for the client's
// answer. Each question has exactly one callback, which gets the answer or an error.
//
// One per worker; confined to it. An id contains its worker, so that an answer that arrives at
// another worker is forwarded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/call.h"

namespace patchbay::gateway {

class Questions {
 public:
  explicit Questions(int worker) : worker_(worker) {}
  ~Questions();

  // Stores a question to `session`, which belongs to `call`. Returns its id, raw JSON.
  std::string add(const void* call, const void* session, Answer answer);

  // The client's answer. False if the question is unknown, or was sent to another client.
  bool answer(const void* session, std::string_view id, mcp::Reply reply);

  // The call is over: its questions get errors.
  void drop(const void* call);

 private:
  struct Question {
    const void* call;
    const void* session;
    Answer answer;
  };

  const int worker_;
  std::uint64_t next_ = 1;
  std::map<std::string, Question, std::less<>> waiting_;
};

// The worker whose question has this id; empty if the id is not one of ours.
std::optional<int> worker_of_question(std::string_view id);

}  // namespace patchbay::gateway
