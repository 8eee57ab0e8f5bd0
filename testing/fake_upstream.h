// An upstream for tests with predefined answers.
#pragma once

#include <map>
#include <string>

#include "gateway/call/upstream.h"

namespace patchbay::testing {

class FakeUpstream final : public gateway::Upstream {
 public:
  explicit FakeUpstream(std::string name) : name_(std::move(name)) {}

  void set_answer(const std::string& tool, std::string result) {
    answers_[tool] = std::move(result);
  }
  // The tool makes a task with that id.
  void set_task(const std::string& tool, std::string id) { tasks_[tool] = std::move(id); }
  void be(bool up) { up_ = up; }

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return "fake"; }
  Task<void> start() override { co_return ok(); }
  Task<mcp::Reply> answer(const gateway::Call&, std::string_view tool) override {
    const auto found = answers_.find(std::string(tool));
    if (found == answers_.end()) co_return Error{Code::upstream_failed, "nothing to say"};
    auto reply = mcp::result_reply(found->second);
    if (const auto task = tasks_.find(found->first); task != tasks_.end())
      reply.task = task->second;
    co_return reply;
  }
  gateway::UpstreamState state() const override { return {up_, up_ ? "" : "told to be down"}; }
  Task<void> stop(Deadline) override { co_return ok(); }

 private:
  const std::string name_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, std::string> tasks_;
  bool up_ = true;
};

}  // namespace patchbay::testing
