#include "oauth/scopes.h"

#include <algorithm>

namespace patchbay::oauth {
namespace {

constexpr std::size_t kMostScopes = 200;

}  // namespace

bool is_scope(std::string_view scope) {
  return !scope.empty() && std::ranges::all_of(scope, [](char c) {
    return c == 0x21 || (c >= 0x23 && c <= 0x5B) || (c >= 0x5D && c <= 0x7E);
  });
}

Scopes split_scopes(std::string_view text) {
  Scopes scopes;
  while (!text.empty() && scopes.size() < kMostScopes) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view scope = text.substr(0, blank);
    if (is_scope(scope) && !has_scope(scopes, scope)) scopes.emplace_back(scope);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return scopes;
}

std::string join_scopes(const Scopes& scopes) {
  std::string text;
  for (const auto& scope : scopes) text += (text.empty() ? "" : " ") + scope;
  return text;
}

bool has_scope(const Scopes& scopes, std::string_view scope) {
  return std::ranges::find(scopes, scope) != scopes.end();
}

bool has_scopes(const Scopes& scopes, const Scopes& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& one) { return has_scope(scopes, one); });
}

Scopes unite(Scopes first, const Scopes& second) {
  for (const auto& scope : second) {
    if (!has_scope(first, scope)) first.push_back(scope);
  }
  return first;
}

Scopes choose_scopes(const Scopes& configured, const std::optional<Scopes>& challenged,
                     const std::optional<Scopes>& supported) {
  if (!configured.empty()) return configured;
  if (challenged) return *challenged;
  return supported.value_or(Scopes());
}

}  // namespace patchbay::oauth
