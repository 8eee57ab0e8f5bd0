// `patchbay token create|list|revoke|hash`: the options of `patchbay token`.
#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace patchbay::app {

class TokenCommands {
 public:
  // REQUIRES: `token` outlives this.
  explicit TokenCommands(CLI::App& token);
  TokenCommands(const TokenCommands&) = delete;
  TokenCommands& operator=(const TokenCommands&) = delete;

  // Runs the chosen command; yields the exit code.
  int run() const;

 private:
  TokenOptions options_;
  CLI::App* create_;
  CLI::App* list_;
  CLI::App* revoke_;
};

}  // namespace patchbay::app
