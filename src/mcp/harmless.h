// Which requests may be repeated when the outcome of the first attempt is unknown. Facts only.
#pragma once

#include <string_view>

namespace patchbay::mcp {

// True for methods that only read.
constexpr bool is_harmless(std::string_view method) {
  return method.ends_with("/list") || method.ends_with("/get") || method == "ping" ||
         method == "server/discover" || method == "resources/read" ||
         method == "completion/complete";
}

}  // namespace patchbay::mcp
