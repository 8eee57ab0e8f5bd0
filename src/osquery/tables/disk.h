// How /proc/mounts writes paths. Values only.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::osquery {

// `\040` and similar escapes become the characters they encode.
std::string unescaped(std::string_view text);

}  // namespace patchbay::osquery
