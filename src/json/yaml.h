// JSON as YAML that people can read: maps and lists as indented lines, strings and keys in quotes,
// so that no reader takes one for something else. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::json {

// REQUIRES: a Cursor has passed over `raw`. Ends with a line end.
std::string to_yaml(std::string_view raw);

}  // namespace patchbay::json
