// A ProxiedTask is a task of a session-based server that waits for input. Such a server asks only
// while a request for the result is open, so the link sends one on behalf of the client and stores
// the questions until the client fetches them and returns answers.
//
// Confined to the worker of its link.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "async/one_shot.h"
#include "gateway/call/call.h"

namespace patchbay::upstreams {

class ProxiedTask final : public gateway::Peer {
 public:
  // `capabilities` are those of a client without a session, raw; the client has `timeout` to answer
  // a question.
  ProxiedTask(std::string id, std::string_view capabilities, std::chrono::nanoseconds timeout);
  ~ProxiedTask() override;

  const std::string& id() const { return id_; }
  // The request for the result.
  const gateway::Call& call() const { return call_; }

  // Yields when there is a question, or when there will be no more.
  Task<void> wait_asked(Deadline deadline);

  // The open questions, as the member `inputRequests` of a task; empty if there are none.
  std::string requests() const;

  // `responses` is a raw object of answers by key. Answers without a question are ignored.
  void take_answers(std::string_view responses);

  // The result has arrived, or never will.
  void end();

 private:
  struct Question {
    std::string method;
    std::string params;
    gateway::Answer answer;
  };

  void notify(std::string_view, std::string_view) override {}
  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override;
  void notify_waiters();

  const std::string id_;
  const std::string capabilities_;
  const std::string text_;
  mcp::Message request_;
  gateway::Call call_;
  std::map<std::string, Question> questions_;
  std::vector<OneShot<void>*> waiters_;
  int asked_ = 0;  // The number of questions so far.
  bool ended_ = false;
};

}  // namespace patchbay::upstreams
