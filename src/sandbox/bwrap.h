// How bubblewrap is told to make a sandbox: what is seen inside, and which namespaces are its own.
// Plain calls that look at the file system.
#pragma once

#include <string>
#include <vector>

#include "sandbox/spec.h"

namespace patchbay::sandbox {

// The files and folders of the machine that a sandbox sees.
std::vector<std::string> seen_of(const Spec& spec);

// The options, to be given in a file; the program that is run does not belong to them. REQUIRES:
// the stage has been built. `filter` is the descriptor of the filter of system calls.
std::vector<std::string> bwrap_options(const Spec& spec, int filter);

}  // namespace patchbay::sandbox
