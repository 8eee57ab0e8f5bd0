// Settings under the names that Spring applications use, in an application.properties file and in
// the environment, mapped onto our settings. Only this component knows those names.
//
// Reads a file and the environment: for start, reload and commands.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace patchbay::app {

// Adds the settings in `file` (empty: no file) and in the environment to the configuration `root`;
// the environment overrides the file. Returns the names in the file that have no meaning here.
std::vector<std::string> apply_properties(const std::string& file, config::Node& root,
                                          config::Faults& faults);

}  // namespace patchbay::app
