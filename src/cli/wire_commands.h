// `patchbay wire dump|send`: prints and creates frames of the wire protocol, for debugging.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace patchbay::app {

struct WireOptions {
  std::string file = "-";  // dump: what to read.
  bool hex = false;        // dump: the file holds hexadecimal digits.
  bool json = false;       // One JSON object for each frame.

  std::string target;   // send: tcp://… or tcps://…; empty: the frame is printed, not sent.
  std::string payload;  // An MCP message, or a whole envelope; "-" is stdin.
  std::string type = "data";
  std::string header = "7";
  bool gzip = false;
  std::string bytes;  // Hexadecimal digits to send as they are, instead of a frame.
  std::string target_namespace;
  std::string token;
  std::string ca;
  std::string cert;
  std::string key;
  double seconds = 10;
};

int wire_dump(const WireOptions& options);
int wire_send(const WireOptions& options);

class WireCommands {
 public:
  // REQUIRES: `wire` outlives this.
  explicit WireCommands(CLI::App& wire);
  WireCommands(const WireCommands&) = delete;
  WireCommands& operator=(const WireCommands&) = delete;

  // Runs the chosen command; yields the exit code.
  int run() const;

 private:
  WireOptions options_;
  CLI::App* dump_;
};

}  // namespace patchbay::app
