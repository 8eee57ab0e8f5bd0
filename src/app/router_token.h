// Where the router has its token from: the settings, a file, or a command such as one that asks a
// keyring. Asked anew for each connection, so that a new token needs no restart.
//
// Confined to the router's thread.
#pragma once

#include <string>

#include "app/router_settings.h"
#include "core/task.h"
#include "core/timers.h"

namespace patchbay::app {

class RouterToken {
 public:
  explicit RouterToken(const RouterSettings& settings) : settings_(settings) {}

  // Empty: none is to be shown. The error says where it was looked for in vain, and never what was
  // found.
  Task<std::string> get(Deadline deadline);

  // The next one may be another.
  bool changes() const { return !settings_.token_file.empty() || !settings_.token_command.empty(); }

 private:
  Task<std::string> run_command(Deadline deadline);

  const RouterSettings& settings_;
};

}  // namespace patchbay::app
