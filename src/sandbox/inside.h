// The first process of a sandbox, inside of it: it protects itself from the processes it starts,
// drops its remaining rights, and reaps orphans.
//
// For a process with one thread.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace patchbay::sandbox {

inline constexpr char kInsideCommand[] = "inside";

// Hides the memory and the descriptors of this process from others of the same user, and, where the
// kernel has Landlock, restricts it and its children to writing below `writable`. Must be called
// before anything hostile runs; what the kernel does not support is skipped.
void guard(const std::vector<std::string>& writable);

// The folders that every sandbox may write to.
std::vector<std::string> usual_writable();

// `WRITABLE… -- PROGRAM ARGS…`: protects itself, runs the program, reaps orphans, and exits with
// the program's status.
int run_inside(std::span<char* const> args);

}  // namespace patchbay::sandbox
