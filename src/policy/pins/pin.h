// A Pin is the stored definition of one tool, as it was accepted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace patchbay::policy {

struct Pin {
  std::string definition;       // Canonical, as accepted.
  std::string changed;          // The current definition; empty if it is unchanged.
  std::int64_t first_seen = 0;  // Seconds since 1970.
  std::int64_t changed_at = 0;
};

// The `changed` of a definition that is ambiguous, which can never be accepted.
inline constexpr std::string_view kAmbiguousDefinition = "null";

// By upstream and the upstream's own name of the tool.
using PinMap = std::map<std::pair<std::string, std::string>, Pin>;

}  // namespace patchbay::policy
