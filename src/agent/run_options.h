// The parameters of exec, exec_code and start besides the program.
//
// Values only.
#pragma once

#include <optional>
#include <string>

#include "agent/command.h"
#include "agent/methods.h"

namespace patchbay::agent {

struct RunOptions {
  bool used =
      false;  // Any of them is set: the answer then has more than the protocol's three members.
  Clock::duration timeout{0};
  Clock::duration grace{0};  // See CommandLimits.
  std::string cwd;
  Params::Pairs env;
  bool clear_env = false;
  std::optional<std::string> input;
  bool stream = false;
  std::uint64_t max_stream = 0;  // Bytes of each output that are sent as they arrive.
  Encoding encoding = Encoding::utf8;
  std::size_t max_output = 0;
  bool both_ends = false;  // Which part of an output is stored: its two ends, else its beginning.

  // Reads them; faults go to the params.
  static RunOptions of(Asked asked);

  // Sets the working directory and the environment of `program`.
  void apply(const Services& services, net::Program& program) const;
};

// The `argv` or the `cmd` of the params.
Result<CommandLine> asked_line(Params& params);

}  // namespace patchbay::agent
