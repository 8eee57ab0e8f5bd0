// A BuiltinUpstream answers calls with skills compiled into the gateway, on the worker of the
// caller.
#pragma once

#include <string>
#include <vector>

#include "gateway/call/upstream.h"
#include "skills/skill.h"

namespace patchbay::upstreams {

class BuiltinUpstream final : public gateway::Upstream {
 public:
  // REQUIRES: the skills and the watcher outlive the upstream.
  BuiltinUpstream(std::string name, std::vector<OfferedSkill> skills,
                  gateway::UpstreamWatcher& watcher);

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return "builtin"; }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  bool can_ask() const override { return false; }
  gateway::UpstreamState state() const override { return {true, ""}; }
  Task<void> stop(Deadline) override;

 private:
  const std::string name_;
  const std::vector<OfferedSkill> skills_;
  gateway::UpstreamWatcher& watcher_;
};

}  // namespace patchbay::upstreams
