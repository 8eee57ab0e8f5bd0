#include "policy/rules/pattern.h"

#include "config/fields.h"

#include <algorithm>

#include "core/glob.h"

namespace patchbay::policy {

bool fits_any(const std::vector<std::string>& globs,
              std::initializer_list<std::string_view> spellings) {
  return std::ranges::any_of(globs, [&](const std::string& glob) {
    return std::ranges::any_of(spellings,
                               [&](std::string_view text) { return matches_glob(glob, text); });
  });
}

// Row by row over `one`: meets[j] is whether the rest of `one` and `other` from j on intersect.
bool globs_meet(std::string_view one, std::string_view other) {
  std::vector<char> below(other.size() + 1);
  std::vector<char> meets(other.size() + 1);
  for (std::size_t i = one.size() + 1; i-- > 0;) {
    const char a = i < one.size() ? one[i] : '\0';
    for (std::size_t j = other.size() + 1; j-- > 0;) {
      const char b = j < other.size() ? other[j] : '\0';
      const bool ends = i == one.size() && j == other.size();
      bool meet = ends;
      if (a == '*') meet = meet || below[j] || (j < other.size() && meets[j + 1]);
      if (b == '*') meet = meet || meets[j + 1] || (i < one.size() && below[j]);
      const bool step = i < one.size() && j < other.size() && a != '*' && b != '*' &&
                        (a == '?' || b == '?' || a == b);
      if (step) meet = meet || below[j + 1];
      meets[j] = meet;
    }
    std::swap(below, meets);
  }
  return below[0] != 0;
}

Patterns read_patterns(const config::Node& node, const config::Location& at) {
  Patterns patterns;
  if (node.kind == config::Kind::map) {
    config::read_section(patterns, node, at);
  } else {
    config::read_value(patterns.allow, node, {}, at);
  }
  return patterns;
}

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::Patterns>() {
  static const Fields kFields = fields_of<policy::Patterns>({
      {"allow", &policy::Patterns::allow, "Patterns of what is allowed."},
      {"deny", &policy::Patterns::deny, "Patterns of what is denied, even if it is allowed."},
  });
  return kFields;
}

}  // namespace patchbay
