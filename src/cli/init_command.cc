// init: writes a configuration to begin with.
#include <fmt/format.h>

#include "app/write_file.h"
#include "cli/commands.h"
#include "cli/edit_config.h"
#include "cli/terminal.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

constexpr unsigned kConfigurationMode = 0644;

// `{}` is the name of the file.
constexpr std::string_view kText = R"(# Configuration of Patchbay. Check it: patchbay check {0}
# All settings: patchbay describe. A running gateway applies changes by itself.

# Where clients connect: http://127.0.0.1:8080/mcp
listen: 127.0.0.1:8080

# The servers whose tools are offered, each under its name. To add one:
#   patchbay add NAME -- COMMAND [ARGS]
#   patchbay add NAME URL
upstreams:
  # The built-in tools, such as skills__calculate.
  skills:
    kind: builtin

# Callers need a token if there is a section `auth`. It is required before `listen` may be an
# address that other machines reach. To create a token: patchbay token create NAME
# auth:
#   token_file: tokens
)";

}  // namespace

int init_configuration(const InitOptions& options) {
  const std::string text = fmt::format(fmt::runtime(kText), options.file);
  auto made = create_file(options.file, text, kConfigurationMode);
  if (!made) {
    complain("patchbay: {}\n", made.error().message);
    return made.error().code == Code::invalid_request ? kExitConfiguration : kExitFailed;
  }
  if (options.json) {
    print_raw(fmt::format("{{\"file\":{}}}\n", json::quote(options.file)));
    return kExitOk;
  }
  print("wrote {}; run it with: patchbay serve -c {}\n", options.file, options.file);
  return kExitOk;
}

}  // namespace patchbay::app
