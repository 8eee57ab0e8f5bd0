// What the gateway offers when its configuration names no upstreams. Values only.
#pragma once

#include <string_view>

#include "config/node.h"

namespace patchbay::app {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:8080";
inline constexpr std::string_view kSkillsName = "skills";
inline constexpr std::string_view kOsqueryName = "osquery";
inline constexpr std::string_view kAgentsName = "agents";

// The entry of our own osquery server, which runs as a child like any other program.
config::Node osquery_upstream();

// The whole section `upstreams`. If the environment names a Kafka cluster, its agents are there
// too.
config::Node default_upstreams();

}  // namespace patchbay::app
