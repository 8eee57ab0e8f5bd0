// A Command is a program that is run to its end for its outcome: exit status and output. Its whole
// process group ends with it, however it ends.
//
// Confined to the thread of its loop.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/output.h"
#include "agent/pump.h"
#include "async/scope.h"
#include "net/process/child.h"

namespace patchbay::agent {

// What to run, as `exec`, `exec_code` and `start` describe it.
struct CommandLine {
  net::Program program;
  net::Fd code;  // Becomes descriptor 3 of the program.
};

// The line that a shell is to run.
Result<CommandLine> shell_line(const std::string& line);

// `code` handed to `program` after `option`; by `reader`, code that reads descriptor 3, if it is
// too long for an argument.
Result<CommandLine> code_line(std::string_view program, std::string_view option,
                              const std::string& code, std::string_view reader);

// Writes `input` to a program and closes its stdin. It is no error if the program does not read all
// of it.
Task<void> feed(net::Fd to, std::string input);

struct CommandEnd {
  net::Ending ending;
  bool timed_out = false;
};

struct CommandLimits {
  std::optional<std::string> input;  // Its stdin; none: empty.
  Deadline deadline = kNever;
  Clock::duration grace{0};  // From SIGTERM at the deadline to SIGKILL; 0: SIGKILL at the deadline.
  Writer* slow = nullptr;    // The writer that may delay the outputs.
};

// Waits for `child`, which gets `grace` after the deadline. Remaining processes are then killed,
// also when the task is stopped: Code::cancelled.
Task<CommandEnd> wait_or_kill(net::Child& child, Deadline deadline, Clock::duration grace);

// Runs until the program has ended, by wait_or_kill(). The outputs then have everything it wrote.
Task<CommandEnd> run_command(net::Child& child, CommandLimits limits, Output& out, Output& err);

}  // namespace patchbay::agent
