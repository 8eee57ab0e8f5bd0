// What the engines have in common: where the agent's program is, how much may come from it, and the
// guest that is reached over a channel. Values, and one class that is confined to its worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/line_channel.h"
#include "upstreams/sandbox/engine.h"

namespace patchbay::upstreams {

// The agent as a program: which file, and the words it is started with.
struct AgentProgram {
  std::string program;
  std::vector<std::string> words;  // Its own name first.
};

// The one of the settings, or patchbay-agent beside our own program, or our own program itself.
// Looks at files.
Result<AgentProgram> find_agent(const SandboxSettings& settings);

// The longest line of an agent: all its outputs with every byte escaped, or a file.
transport::LineLimits agent_line_limits(const SandboxSettings& settings);

}  // namespace patchbay::upstreams
