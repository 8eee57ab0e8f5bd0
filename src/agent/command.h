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
#include "core/scope.h"
#include "net/child.h"

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

// Runs until the program has ended, and kills its group at the deadline or when the task is stopped
// (Code::cancelled). The outputs have got all that it wrote.
Task<CommandEnd> run_command(net::Child& child, std::optional<std::string> input, Deadline deadline,
                             Output& out, Output& err, Writer* slow);

}  // namespace patchbay::agent
