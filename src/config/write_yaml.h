// A Node as YAML that reads back as the same Node. Values only; usable from any thread.
#pragma once

#include <string>

#include "config/node.h"

namespace patchbay::config {

// Block style: maps as indented lines, lists of plain values on one line. Ends with a line end.
// REQUIRES: a map.
std::string to_yaml(const Node& map);

}  // namespace patchbay::config
