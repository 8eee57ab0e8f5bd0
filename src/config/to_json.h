// A Node as raw JSON: what the person who wrote the file meant by it. Values only.
#pragma once

#include <string>

#include "config/node.h"

namespace patchbay::config {

// A scalar without quotes that reads as a number, true, false or null is that; all else is a
// string.
std::string to_json(const Node& node);

}  // namespace patchbay::config
