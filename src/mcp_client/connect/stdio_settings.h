// The settings of an upstream that is a program on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcp_client/settings.h"
#include "sandbox/settings.h"

namespace patchbay::upstreams {

struct StdioSettings : McpSettings {
  // The end of a program is noticed at once, and a program that does one thing at a time must not
  // be interrupted by probes.
  StdioSettings() { health.interval = config::Duration(0); }

  std::string command;
  std::vector<std::string> args;
  config::Dict<std::string> env;
  std::string env_file;  // Its variables are in `env` already (app/env_file.h).
  std::vector<std::string> env_pass;
  std::string cwd;
  std::string user;
  std::optional<sandbox::Settings> sandbox;
  int instances = 1;
  config::Duration stop_grace{2'000};
  config::Bytes line{16 << 20};
  config::Bytes outbox{16 << 20};
  int stderr_lines = 20;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::StdioSettings>();

}  // namespace patchbay
