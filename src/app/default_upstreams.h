// The upstreams that the gateway offers when its configuration names none.
#pragma once

#include <string_view>

#include "config/node.h"

namespace patchbay::app {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:8080";
inline constexpr std::string_view kSkillsName = "skills";
inline constexpr std::string_view kOsqueryName = "osquery";
inline constexpr std::string_view kAgentsName = "agents";
inline constexpr std::string_view kSandboxName = "sandbox";

// The entry of our own osquery server, which runs as a child process like any other program.
config::Node osquery_upstream();

// The whole section `upstreams`. Examines the machine: `sandbox` is included if sandboxes can run
// with all their limits, and `agents` if the environment names a Kafka cluster.
config::Node default_upstreams();

}  // namespace patchbay::app
