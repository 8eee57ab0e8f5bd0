// agent: the guest of a sandbox. The same code is the program patchbay-agent (agent_main.cc).
#include <fmt/format.h>

#include "agent/agent.h"
#include "cli/commands.h"

namespace patchbay::app {

int serve_agent(const agent::Settings& settings) {
  auto served = agent::run_agent(settings);
  if (served) return kExitOk;
  fmt::print(stderr, "patchbay agent: {}\n", served.error().message);
  return served.error().code == Code::invalid_params ? kExitUsage : kExitFailed;
}

}  // namespace patchbay::app
