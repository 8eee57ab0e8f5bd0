// The options of bubblewrap for a sandbox: what is visible inside, and which namespaces are
// private. Plain calls that read the file system.
#pragma once

#include <string>
#include <vector>

#include "sandbox/spec.h"

namespace patchbay::sandbox {

// The files and folders of the machine that are visible in a sandbox.
std::vector<std::string> seen_of(const Spec& spec);

// The options, to be passed in a file, without the program to run. REQUIRES: the stage has been
// built. `filter` is the descriptor of the system call filter.
std::vector<std::string> bwrap_options(const Spec& spec, int filter);

}  // namespace patchbay::sandbox
