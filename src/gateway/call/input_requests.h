// The Questions that upstreams have asked clients in the course of a call, and that wait for the
// client's answer. Each question gets exactly one callback: the answer, or an error.
//
// One per worker; confined to it. An id names its worker, so that an answer that arrives elsewhere
// finds its way.
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

  // Remembers a question to `session`, which belongs to `call`. Yields its id, raw JSON.
  std::string add(const void* call, const void* session, Answer answer);

  // The client's answer. False if the question is unknown, or was asked of someone else.
  bool answer(const void* session, std::string_view id, mcp::Reply reply);

  // The call is over: its questions have no answer.
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

// The worker whose question has this id; empty if it is none of ours.
std::optional<int> worker_of_question(std::string_view id);

}  // namespace patchbay::gateway
