// patchbay-agent: `patchbay agent` alone, linked statically, for any image or virtual machine.
// Because it starts fast it is also what sets up a sandbox, outside and inside.
#include <cstdio>
#include <string>
#include <string_view>

#include "agent/command_line.h"
#include "cli/commands.h"
#include "core/version.h"
#include "sandbox/confine.h"
#include "sandbox/inside.h"
#include "sandbox/relay.h"

using namespace patchbay;

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == sandbox::kConfineCommand) return sandbox::confine();
  if (argc > 2 && std::string_view(argv[1]) == sandbox::kInsideCommand) {
    return sandbox::run_inside({argv + 2, argv + argc});
  }
  if (argc > 2 && std::string_view(argv[1]) == sandbox::kRelayCommand) {
    return sandbox::run_relay({argv + 2, argv + argc});
  }
  agent::Settings settings;
  auto asked = agent::parse_command_line({argv + 1, argv + argc}, settings);
  if (!asked) {
    std::fprintf(stderr, "patchbay-agent: %s\n", asked.error().message.c_str());
    return app::kExitUsage;
  }
  if (*asked == agent::CommandLineAction::help) {
    std::fputs(agent::usage().c_str(), stdout);
    return app::kExitOk;
  }
  if (*asked == agent::CommandLineAction::version) {
    std::printf("patchbay-agent %s\n", std::string(kVersion).c_str());
    return app::kExitOk;
  }
  return app::serve_agent(settings);
}
