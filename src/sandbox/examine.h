// Whether this machine can isolate a program, and what is missing if not. Plain calls that may
// block: for the command line and for start-up.
#pragma once

#include <string>
#include <vector>

#include "sandbox/settings.h"

namespace patchbay::sandbox {

struct Finding {
  std::string name;
  bool good = false;
  std::string detail = {};
  bool needed = true;  // Without it nothing is run.
};

// All checks except starting a sandbox.
std::vector<Finding> examine(const Settings& settings);

// The first requirement that is missing, and the names of the others.
Result<void> can_isolate(const Settings& settings);

}  // namespace patchbay::sandbox
