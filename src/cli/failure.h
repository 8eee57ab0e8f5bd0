// The end of a command that failed. The main thread of a command.
#pragma once

#include <string_view>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace patchbay::app {

// Prints why; `code` is for the caller to exit with.
inline int failed(std::string_view why, int code = kExitFailed) {
  complain("patchbay: {}\n", why);
  return code;
}

}  // namespace patchbay::app
