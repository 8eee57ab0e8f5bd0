// JSON as editors write it, with comments and trailing commas, as strict JSON. Values only.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::config {

// `text` with each comment and each comma before a closing bracket replaced by spaces, so that
// offsets and lines stay the same. Anything else that is not JSON stays as it is.
std::string strict_json(std::string_view text);

}  // namespace patchbay::config
