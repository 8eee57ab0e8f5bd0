// YAML as JSON text: a part of a configuration, or another document. Values only; usable from any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "config/parse.h"
#include "core/result.h"

namespace patchbay::config {

// An unquoted scalar is a number, a boolean or null where YAML 1.2 defines it, else a string.
std::string to_json(const Node& node);

// The same for a whole document. Text that begins with `{` is JSON and stays unchanged. ${…} is not
// resolved: that is for configurations only. The error has the reason and the line.
Result<std::string> to_json(std::string_view text, const ParseLimits& limits);

}  // namespace patchbay::config
