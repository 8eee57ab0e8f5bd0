// JSON as readable YAML: maps and lists as indented lines, strings and keys in quotes, so that no
// reader takes one for something else. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::json {

// REQUIRES: a Cursor has validated `raw`. Ends with a line break.
std::string to_yaml(std::string_view raw);

}  // namespace patchbay::json
