// `patchbay router`: forwards MCP on stdin and stdout to a gateway elsewhere.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace patchbay::app {

struct RouterOptions {
  std::string config;
  std::string gateway;
  std::string ca;
  std::string cert;
  std::string key;
  std::string token_file;
  std::string token_command;
  int connections = 0;  // 0: the setting of the file.
  std::string log_format;
  std::string log_level;
  bool silent = false;
};

class RouterCommand {
 public:
  // REQUIRES: `router` outlives this.
  explicit RouterCommand(CLI::App& router);
  RouterCommand(const RouterCommand&) = delete;
  RouterCommand& operator=(const RouterCommand&) = delete;

  // Runs the command; yields the exit code.
  int run() const;

 private:
  RouterOptions options_;
};

}  // namespace patchbay::app
