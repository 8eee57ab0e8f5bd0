// What the gateway offers when its configuration names no upstreams.
#pragma once

#include <string_view>

#include "config/node.h"

namespace patchbay::app {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:8080";
inline constexpr std::string_view kSkillsName = "skills";
inline constexpr std::string_view kOsqueryName = "osquery";
inline constexpr std::string_view kAgentsName = "agents";
inline constexpr std::string_view kSandboxName = "sandbox";

// The entry of our own osquery server, which runs as a child like any other program.
config::Node osquery_upstream();

// The whole section `upstreams`. Looks at the machine: sandboxes are among them where they can be
// set apart with all their limits, and agents on Kafka where the environment names a cluster.
config::Node default_upstreams();

}  // namespace patchbay::app
