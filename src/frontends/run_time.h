// RunTime is what admins change while the gateway runs, beside its configuration: upstreams that
// are drained or disabled, tools that are switched off, and changed definitions of tools that are
// accepted. These changes outlive the process if there is a state folder.
//
// Callable on any worker.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "frontends/hidden_items.h"

namespace patchbay::frontends {

enum class UpstreamMode : std::uint8_t {
  enabled,   // As configured.
  drained,   // It accepts no new calls; those in progress finish.
  disabled,  // The same, and it has no connections and no programs.
};

inline constexpr std::array<std::string_view, 3> kUpstreamModes{"enabled", "drained", "disabled"};

constexpr std::string_view name_of(UpstreamMode mode) {
  return kUpstreamModes[static_cast<std::size_t>(mode)];
}

struct UpstreamSwitch {
  UpstreamMode mode = UpstreamMode::enabled;
  std::string by = {};       // The name of the admin.
  std::int64_t when_ms = 0;  // Since 1970.
};

// A tool that is switched off, by the upstream's own name.
struct ToolSwitch {
  std::string upstream;
  std::string tool;
  std::string by = {};
  std::int64_t when_ms = 0;
};

// A tool whose definition differs from the accepted one.
struct ChangedTool {
  std::string upstream;
  std::string tool;
  std::string accepted;  // Raw; as it was accepted...
  std::string current;   // ...and as it is.
  std::string digest;    // Of the current one.
  bool acceptable = true;
  bool left_out = false;        // It is not offered until it is accepted.
  std::int64_t first_seen = 0;  // Seconds since 1970.
  std::int64_t changed_at = 0;
};

class RunTime {
 public:
  virtual ~RunTime() = default;

  // Code::not_found if there is no such upstream.
  virtual Task<void> set_upstream(std::string upstream, UpstreamMode mode, std::string by) = 0;

  virtual std::vector<ToolSwitch> tools_off() const = 0;
  // Code::not_found if it is so already. REQUIRES: a tool to switch off exists.
  virtual Task<void> set_tool(ToolSwitch tool, bool on) = 0;

  virtual Task<std::vector<ChangedTool>> changed_tools() = 0;
  // What clients are not offered, and why. Code::invalid_params: the cursor is of another catalog.
  virtual Task<HiddenItems> hidden_items(HiddenQuery query) = 0;

  // Accepts the definition with that digest.
  virtual Task<void> accept_tool(std::string upstream, std::string tool, std::string digest) = 0;
};

}  // namespace patchbay::frontends
