// YAML as JSON text: a part of a configuration, or a document of somebody else's. Values only;
// usable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "config/parse.h"
#include "core/result.h"

namespace patchbay::config {

// A word without quotes is a number, a truth value or null where YAML 1.2 says so, else a string.
std::string to_json(const Node& node);

// The same of a whole document. What begins with `{` is JSON and stays as it came. Nothing is put
// in for ${…}: that is for configurations alone. The error says what is wrong, and on which line.
Result<std::string> to_json(std::string_view text, const ParseLimits& limits);

}  // namespace patchbay::config
