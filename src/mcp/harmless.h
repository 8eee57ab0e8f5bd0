// Which requests may be sent a second time when it is not known what became of the first. Facts
// only.
#pragma once

#include <string_view>

namespace patchbay::mcp {

// True for methods that read and do nothing else.
constexpr bool is_harmless(std::string_view method) {
  return method.ends_with("/list") || method.ends_with("/get") || method == "ping" ||
         method == "server/discover" || method == "resources/read" ||
         method == "completion/complete";
}

}  // namespace patchbay::mcp
