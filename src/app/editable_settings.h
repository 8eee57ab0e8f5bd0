// What may be changed in a configuration over the network (console.edit): nothing that defines a
// command, names a file, reads a variable, lets callers in, or sends a secret to another host. An
// allowlist of settings; whatever it does not have is refused.
//
// Values only; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"
#include "frontends/configuration_view.h"

namespace patchbay::app {

struct ConfigurationChanges {
  std::vector<std::string> paths;  // Of all settings that differ, in the order of the files.
  std::vector<frontends::TextFault> refused;  // Those that may not be changed here, and why.
};

// Compares two texts of a file, each as a tree without values of ${…}. Lines are those of `next`; 0
// for what it does not have any more.
ConfigurationChanges configuration_changes(config::Node now, config::Node next,
                                           const std::string& file);

}  // namespace patchbay::app
