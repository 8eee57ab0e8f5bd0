// A Command is a program that someone runs to its end and wants the outcome of: exit status and
// output. Its whole process group ends with it, however it ends.
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
  net::Fd code;  // What the program gets as descriptor 3.
};

// The line that a shell is to run.
Result<CommandLine> shell_line(const std::string& line);

// `code` handed to `program` after `option`; by `reader`, code that reads descriptor 3, if it is
// too long for an argument.
Result<CommandLine> code_line(std::string_view program, std::string_view option,
                              const std::string& code, std::string_view reader);

// Writes `input` to a program and closes its stdin. A program that does not read it all is fine.
Task<void> feed(net::Fd to, std::string input);

struct CommandEnd {
  net::Ending ending;
  bool timed_out = false;
};

struct CommandLimits {
  std::optional<std::string> input;  // What it reads; else nothing.
  Deadline deadline = kNever;
  Clock::duration grace{0};  // From SIGTERM at the deadline to SIGKILL; 0: that at once.
  Writer* slow = nullptr;    // Who may hold up the outputs.
};

// Waits for `child`, which gets `grace` from the deadline on. Whoever is left then is killed, also
// when the task is stopped: Code::cancelled.
Task<CommandEnd> wait_or_kill(net::Child& child, Deadline deadline, Clock::duration grace);

// Runs until the program has ended, by wait_or_kill(). The outputs have got all that it wrote.
Task<CommandEnd> run_command(net::Child& child, CommandLimits terms, Output& out, Output& err);

}  // namespace patchbay::agent
