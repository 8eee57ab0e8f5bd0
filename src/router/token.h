// The source of the router's token: the settings, a file, a command such as that of a keyring, or
// an authorization server. Used for each connection, so that a new token needs no restart.
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
  // REQUIRES: check_gateway() accepts `settings`, which outlive this.
  explicit RouterToken(const RouterSettings& settings);

  // Called when there is a new token without a request for it.
  void on_renewed(std::function<void(const std::string&)> notify);

  // Empty: no token is sent. The error names the source that failed, and never its content.
  Task<std::string> get(Deadline deadline);

  // The gateway refuses the token. True: the next one may be another.
  bool refused();

  // Called regularly: renews a token that expires.
  void attend();

  // REQUIRES: awaited before it is destroyed.
  Task<void> stop();

 private:
  Task<std::string> run_command(Deadline deadline);

  const RouterSettings& settings_;
  std::unique_ptr<RouterOauth> oauth_;  // Null: another source.
};

}  // namespace patchbay::app
