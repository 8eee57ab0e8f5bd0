// Whether a program could be run on this machine. Plain calls that look at the disk: not for
// workers.
#pragma once

#include "net/process/child.h"

namespace patchbay::net {

// Code::unavailable, with the reason, if the program is missing or, for a script, the interpreter
// that its first line names.
Result<void> check_runnable(const Program& program);

// The same if the folder that it is to run in is missing.
Result<void> check_folder(const Program& program);

}  // namespace patchbay::net
