// A name for a process that no later process has, though it may get the same number: for what is
// called after its keeper, so that whoever finds it can tell whether the keeper still lives.
//
// Usable from any thread; reads /proc.
#pragma once

#include <sys/types.h>

#include <string>

namespace patchbay::sandbox {

// Its number and its beginning, such as `4711-90210`.
std::string process_mark(pid_t process);

}  // namespace patchbay::sandbox
