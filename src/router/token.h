// Where the router has its token from: the settings, a file, a command such as one that asks a
// keyring, or an authorization server. Asked anew for each connection, so that a new token needs no
// restart.
//
// Confined to the router's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "async/task.h"
#include "async/timers.h"
#include "router/oauth.h"
#include "router/settings.h"

namespace patchbay::app {

class RouterToken {
 public:
  // REQUIRES: check_gateway() finds nothing wrong with `settings`, which outlive this.
  explicit RouterToken(const RouterSettings& settings);

  // Told when there is another token, without having been asked for.
  void on_renewed(std::function<void(const std::string&)> notify);

  // Empty: none is to be shown. The error says where it was looked for in vain, and never what was
  // found.
  Task<std::string> get(Deadline deadline);

  // The gateway does not take it (any more). True: the next one may be another.
  bool refused();

  // Once in a while: renews what expires.
  void attend();

  // REQUIRES: awaited before it dies.
  Task<void> stop();

 private:
  Task<std::string> run_command(Deadline deadline);

  const RouterSettings& settings_;
  std::unique_ptr<RouterOauth> oauth_;  // Null: it is from elsewhere.
};

}  // namespace patchbay::app
