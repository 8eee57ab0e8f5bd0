// Switches are the overrides of the configuration that admins set while the gateway runs: which
// upstreams are drained or disabled, and which tools are off. They are stored in an SQLite file in
// the state folder; without one they last as long as the process.
//
// open(), set_upstream() and set_tool() block and are for the control thread; the rest is callable
// on any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sqlite.h"
#include "frontends/run_time.h"

namespace patchbay::app {

class Switches {
 public:
  // Reads what is stored in the folder `state`, which is created if necessary. Empty: nowhere.
  Result<void> open(const std::string& state);

  static std::string file_in(const std::string& state) { return state + "/switches.sqlite"; }

  frontends::UpstreamSwitch upstream(const std::string& name) const;
  bool is_off(const std::string& upstream, const std::string& tool) const;
  // Those of one upstream, or of all.
  std::vector<frontends::ToolSwitch> tools_off(std::string_view upstream = "") const;

  Result<void> set_upstream(const std::string& name, frontends::UpstreamSwitch to);
  void set_most_tools_off(std::size_t most) { most_tools_off_ = most; }  // On any thread.

  // Code::not_found if it is so already, Code::overloaded if too many are off.
  Result<void> set_tool(frontends::ToolSwitch tool, bool on);

 private:
  using Key = std::pair<std::string, std::string>;

  Result<void> read();
  Result<void> store_upstream(const std::string& name, const frontends::UpstreamSwitch& to);
  Result<void> store_tool(const frontends::ToolSwitch& tool, bool on);

  std::atomic<std::size_t> most_tools_off_ = 10'000;
  std::optional<sqlite::Database> database_;  // Control thread only.
  mutable std::mutex mutex_;
  std::map<std::string, frontends::UpstreamSwitch, std::less<>> upstreams_;
  std::map<Key, frontends::ToolSwitch> tools_;
};

}  // namespace patchbay::app
