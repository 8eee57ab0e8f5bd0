#include "json/schema/keywords.h"

#include <unordered_map>

namespace patchbay::json {

std::optional<Keyword> find_keyword(std::string_view name, const Dialect& dialect) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, Keyword> out;
    for (std::size_t i = 0; i + 1 < kKeywords.size(); ++i) {
      out.emplace(kKeywords[i].name, static_cast<Keyword>(i));
    }
    return out;
  }();
  const auto found = by_name.find(name);
  if (found == by_name.end() || !dialect.has(info(found->second))) return std::nullopt;
  return found->second;
}

}  // namespace patchbay::json
