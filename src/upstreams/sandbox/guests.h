// The common part of the engines: the agent's program, the limits on its messages, and a guest that
// is connected by a channel.
//
// Values, and one class that is confined to its worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/line_channel.h"
#include "upstreams/sandbox/engine.h"

namespace patchbay::upstreams {

// Lines of a guest's stderr that are logged per second.
inline constexpr int kStderrLines = 20;

// The agent as a program: the file, and its arguments.
struct AgentProgram {
  std::string program;
  std::vector<std::string> args;  // argv[0] first.
};

// The configured one, or patchbay-agent beside our own program, or our own program itself. Reads
// files.
Result<AgentProgram> find_agent(const SandboxSettings& settings);

// The longest line of an agent: all its outputs with every byte escaped, or a file.
transport::LineLimits agent_line_limits(const SandboxSettings& settings);

}  // namespace patchbay::upstreams
