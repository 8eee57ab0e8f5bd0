// What exec, exec_code and start take beyond what is to be run.
//
// Values only.
#pragma once

#include <optional>
#include <string>

#include "agent/command.h"
#include "agent/methods.h"

namespace patchbay::agent {

struct RunOptions {
  bool used = false;   // Any of them: the answer then says more than the protocol's three members.
  double timeout = 0;  // Seconds.
  std::string cwd;
  Params::Pairs env;
  bool clear_env = false;
  std::optional<std::string> input;
  bool stream = false;
  Encoding encoding = Encoding::utf8;
  std::size_t max_output = 0;

  // Reads them; faults go to the params.
  static RunOptions of(Asked asked);

  // Puts where and with what environment to run into `program`.
  void apply(const Services& services, net::Program& program) const;
};

// The `argv` or the `cmd` of the params.
Result<CommandLine> asked_line(Params& params);

}  // namespace patchbay::agent
