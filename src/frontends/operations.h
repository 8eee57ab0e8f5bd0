// What operators may know about the running gateway: its upstreams, whether it is ready, its bus,
// refused reloads. Front ends show it in their own form.
//
// Callable on any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gateway/call/upstream.h"

namespace patchbay::frontends {

struct UpstreamLine {
  std::string name;
  std::string kind;
  gateway::UpstreamState state;
  std::size_t tools = 0;
  bool required = false;  // The gateway is not ready without it.
};

// {"name":…,"kind":…,"state":"up","detail":…,"tools":…}
std::string upstream_json(const UpstreamLine& line);

struct OperationsView {
  std::function<std::vector<UpstreamLine>()> upstreams;
  std::function<bool()> ready;            // Started, and not stopping.
  std::function<std::string()> bus = {};  // Where the embedded bus is, raw; empty: none.
  // Changes of files that were refused, and why; empty: the files are in force.
  std::function<std::vector<std::string>()> refused = {};
  // What of the configuration does not work on this machine, and why.
  std::function<std::vector<std::string>()> problems = {};
};

}  // namespace patchbay::frontends
