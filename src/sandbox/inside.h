// What the first process of a sandbox does, inside of it: it keeps itself out of reach of those it
// starts, gives up what is left to give up, and takes care of orphans.
//
// For a process with one thread.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace patchbay::sandbox {

inline constexpr char kInsideWord[] = "inside";

// Hides the memory and the descriptors of this process from others of the same user, and, where the
// kernel has Landlock, lets it and all it starts change files below `writable` only. Needs to be
// done before anything hostile runs; what the kernel does not have is left out.
void guard(const std::vector<std::string>& writable);

// The folders that every sandbox may write to.
std::vector<std::string> usual_writable();

// `WRITABLE… -- PROGRAM ARGS…`: guards itself, runs the program, reaps whatever ends, and ends with
// the program and as it did.
int run_inside(std::span<char* const> words);

}  // namespace patchbay::sandbox
