// Lists of patterns (core/glob.h) for what is allowed and denied. Deny wins. Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/read_value.h"
#include "config/settings.h"

namespace patchbay::policy {

struct Patterns {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
};

// True if one of `globs` matches one of the spellings of a name.
bool fits_any(const std::vector<std::string>& globs,
              std::initializer_list<std::string_view> spellings);

// True if some text matches both globs.
bool globs_meet(std::string_view one, std::string_view other);

// Reads a section that is either a list of allowed patterns, or a map with allow and deny.
Patterns read_patterns(const config::Node& node, const config::Location& at);

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::Patterns>();

}  // namespace patchbay
