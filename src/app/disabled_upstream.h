// A DisabledUpstream stands for an upstream that an admin has disabled: it has no connections and
// no programs, and offers nothing.
//
// Usable from any thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "gateway/call/upstream.h"

namespace patchbay::app {

class DisabledUpstream final : public gateway::Upstream {
 public:
  DisabledUpstream(std::string name, std::string kind)
      : name_(std::move(name)), kind_(std::move(kind)) {}

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return kind_; }
  Task<void> start() override { co_return ok(); }
  Task<mcp::Reply> answer(const gateway::Call&, std::string_view) override { co_return refusal(); }
  bool can_ask() const override { return false; }
  gateway::UpstreamState state() const override { return {false, "disabled"}; }
  Task<void> restart() override {
    co_return Error{Code::invalid_request, fmt::format("the upstream '{}' is disabled", name_)};
  }
  Task<void> stop(Deadline) override { co_return ok(); }

 private:
  Error refusal() const {
    return {Code::unavailable, fmt::format("the upstream '{}' is disabled", name_)};
  }

  const std::string name_;
  const std::string kind_;
};

}  // namespace patchbay::app
