// What a server says in WWW-Authenticate (RFC 9110, 11.6.1) when it refuses a request for want of a
// token, or of a better one: RFC 6750, and RFC 9728 for where to get one. Values only; pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "oauth/scopes.h"

namespace patchbay::oauth {

struct Challenge {
  std::string error;              // `invalid_token`, `insufficient_scope`; may be empty.
  std::optional<Scopes> scopes;   // None: it names none.
  std::string resource_metadata;  // A URL; empty: it names none.
};

// The first challenge of the scheme Bearer in these values of WWW-Authenticate. None if there is
// no such challenge, or if it can be understood in two ways.
std::optional<Challenge> bearer_challenge(std::span<const std::string> values);

}  // namespace patchbay::oauth
