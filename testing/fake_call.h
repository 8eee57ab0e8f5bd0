// A Call for tests, with a client that stores received messages, and functions to run tasks by
// hand.
//
// Confined to the executor of the test.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/scope.h"
#include "core/discard.h"
#include "gateway/call/call.h"

namespace patchbay::testing {

class FakeClient final : public gateway::Peer {
 public:
  struct Question {
    std::string method;
    std::string params;
    gateway::Answer answer;
  };

  void notify(std::string_view method, std::string_view params) override {
    notifications.emplace_back(std::string(method) + ' ' + std::string(params));
  }
  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override {
    questions.push_back({std::string(method), std::string(params), std::move(answer)});
  }

  std::vector<std::string> notifications;
  std::vector<Question> questions;
};

// One request of a client of `revision`. REQUIRES: the executor outlives it.
class FakeCall {
 public:
  explicit FakeCall(std::string text, mcp::Revision revision = mcp::kNewestSessionBased)
      : text_(std::move(text)),
        message_(parsed(text_)),
        call{message_,      *mcp::find_method(message_.method, revision),
             revision,      "test",
             here(),        client,
             kNever,        text_.size(),
             local_caller()} {
    call.timeout = std::chrono::minutes(1);
  }

 private:
  static mcp::Message parsed(std::string_view text) {
    mcp::Message message;
    discard(mcp::parse(text, message), "a test with a faulty request fails at what follows");
    return message;
  }

  const std::string text_;
  const mcp::Message message_;

 public:
  FakeClient client;
  gateway::Call call;
};

// Runs a task and stores its result. REQUIRES: the task has ended when this is destroyed.
template <class T>
class Outcome {
 public:
  void start(Task<T> task) { scope_.spawn(run(std::move(task))); }
  void cancel() { scope_.cancel(); }

  bool done() const { return result_.has_value(); }
  Result<T>& operator*() { return *result_; }
  Result<T>* operator->() { return &*result_; }

 private:
  Task<void> run(Task<T> task) {
    auto result = co_await task;
    result_.emplace(std::move(result));
    co_return ok();
  }

  std::optional<Result<T>> result_;
  Scope scope_;
};

}  // namespace patchbay::testing
