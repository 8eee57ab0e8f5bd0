// How much memory the process has allocated, and how much it may (limits.max_memory). Every `new`
// and `delete` of half a kilobyte or more is counted, so the owner of a buffer need not report it:
// request bodies, answers, queues, stored streams, lists. Each thread counts for itself and adds up
// in batches, so counting costs no atomic operation on the path of a small call. Smaller blocks are
// not counted.
//
// Nothing is refused here. Code that admits work, or lets a buffer grow by what a peer sends,
// checks is_short() first and refuses with shortage().
//
// Usable from any thread.
#pragma once

#include <cstddef>

#include "core/error.h"

namespace patchbay::memory {

// The bound. 0: derived from the machine, see usual_most().
void set_most(std::size_t bytes);
std::size_t most();

// Currently allocated; each thread may lag behind by a batch (256 KiB).
std::size_t in_use();

// True if `more` bytes would exceed the bound.
bool is_short(std::size_t more = 0);

// Code::overloaded; the message names the setting.
Error shortage();

// Half of the memory of the machine and the cgroups of the process, and at most 1 GiB.
std::size_t usual_most();

// The smallest limit in the cgroup v2 folders from `folder` up to `root`; `otherwise` if none sets
// one. For usual_most().
std::size_t cgroup_limit(const char* root, const char* folder, std::size_t otherwise);

}  // namespace patchbay::memory
