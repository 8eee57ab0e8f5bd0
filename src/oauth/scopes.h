// OAuth scopes (RFC 6749, 3.3): a set, written with blanks between its elements. Values only; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::oauth {

using Scopes = std::vector<std::string>;

inline constexpr std::string_view kOfflineAccess = "offline_access";

bool is_scope(std::string_view scope);

// The distinct scopes of `text`; invalid ones are left out.
Scopes split_scopes(std::string_view text);
std::string join_scopes(const Scopes& scopes);

bool has_scope(const Scopes& scopes, std::string_view scope);
// True if `scopes` has all of `wanted`.
bool has_scopes(const Scopes& scopes, const Scopes& wanted);

// Those of `first`, then those of `second` that are not among them.
Scopes unite(Scopes first, const Scopes& second);

// Which scopes to request: the configured ones, else those of the challenge, else all that the
// server publishes. If there are none of these, no `scope` is sent.
Scopes choose_scopes(const Scopes& configured, const std::optional<Scopes>& challenged,
                     const std::optional<Scopes>& supported);

}  // namespace patchbay::oauth
