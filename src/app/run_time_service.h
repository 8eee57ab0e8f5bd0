// The RunTimeService applies what admins change while the gateway runs (frontends/run_time.h).
//
// Lives on the control thread, to which the functions of RunTime hop.
#pragma once

#include <functional>

#include "app/pin_service.h"
#include "app/settings.h"
#include "app/switches.h"
#include "app/upstream_set.h"
#include "frontends/run_time.h"

namespace patchbay::app {

class RunTimeService final : public frontends::RunTime {
 public:
  // REQUIRES: what is referred to outlives this.
  RunTimeService(Executor& control, PinService& pins) : control_(control), pins_(pins) {}

  // Reads the stored switches. Called once, before anything else.
  Result<void> open(const Settings& settings);

  // `apply` starts and stops upstreams as the switches say. Called before requests are served.
  void use(UpstreamSet& upstreams, std::function<void()> apply);

  void set_most_tools_off(std::size_t most) { switches_.set_most_tools_off(most); }

  const Switches& switches() const { return switches_; }

  Task<void> set_upstream(std::string upstream, frontends::UpstreamMode mode,
                          std::string by) override;
  std::vector<frontends::ToolSwitch> tools_off() const override { return switches_.tools_off(); }
  Task<void> set_tool(frontends::ToolSwitch tool, bool on) override;
  Task<std::vector<frontends::ChangedTool>> changed_tools() override;
  Task<frontends::HiddenItems> hidden_items(frontends::HiddenQuery query) override;
  Task<void> accept_tool(std::string upstream, std::string tool, std::string digest) override;

 private:
  Result<void> set_upstream_here(const std::string& upstream, frontends::UpstreamSwitch to);
  Result<void> accept_here(const std::string& upstream, const std::string& tool,
                           const std::string& digest);

  Executor& control_;
  PinService& pins_;
  Switches switches_;
  UpstreamSet* upstreams_ = nullptr;
  std::function<void()> apply_;
};

}  // namespace patchbay::app
