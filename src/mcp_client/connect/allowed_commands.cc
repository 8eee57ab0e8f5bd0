#include "mcp_client/connect/allowed_commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::upstreams {

Result<void> AllowedCommands::check(const net::Program& program) const {
  // The gateway's own osquery server. With other arguments, this program could run any other.
  const std::vector<std::string> osquery{"osquery"};
  if (program.command == "/proc/self/exe" && program.args == osquery) return ok();
  auto file = net::find_program(program);
  if (!file) return file.error();
  const bool allowed = std::ranges::any_of(commands_, [&](const std::string& command) {
    const auto found = net::find_program({command, {}, net::usual_environment(), ""});
    return found && *found == *file;
  });
  if (allowed) return ok();
  return Error{
      Code::forbidden,
      fmt::format("{} is not one of stdio.allowed_commands; add it there if it may be run", *file)};
}

}  // namespace patchbay::upstreams
