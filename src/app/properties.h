// Settings under the names that Spring applications give them, in an application.properties file
// and in the environment, mapped onto our own. Only this file knows those names.
//
// Reads a file and the environment: for start, reload and commands.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace patchbay::app {

// Puts what `file` (none if it is empty) and the environment define into the configuration `root`;
// the environment overrides the file. Yields the names in the file that mean nothing here.
std::vector<std::string> apply_properties(const std::string& file, config::Node& root,
                                          config::Faults& faults);

}  // namespace patchbay::app
