// The challenge in WWW-Authenticate (RFC 9110, 11.6.1) with which a server refuses a request
// without a sufficient token: RFC 6750, and RFC 9728 for where to get one. Values only; pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "oauth/scopes.h"

namespace patchbay::oauth {

struct Challenge {
  std::string error;              // `invalid_token`, `insufficient_scope`; may be empty.
  std::optional<Scopes> scopes;   // None: not stated.
  std::string resource_metadata;  // A URL; empty: not stated.
};

// The first Bearer challenge in these values of WWW-Authenticate. None if there is none, or if it
// is ambiguous.
std::optional<Challenge> bearer_challenge(std::span<const std::string> values);

}  // namespace patchbay::oauth
