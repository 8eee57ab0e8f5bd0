// JSON Web Tokens in the compact form (RFC 7515, 7519): parsing, and checking claims. Keys that a
// token carries or points to (jwk, jku, x5u, x5c) are ignored: keys come from the issuer.
//
// Pure; usable from any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/principal.h"
#include "core/result.h"
#include "policy/auth/jwks.h"
#include "policy/auth/settings.h"

namespace patchbay::policy {

using WallTime = std::chrono::system_clock::time_point;

struct Jwt {
  const JwsAlgorithm* algorithm = nullptr;
  std::string kid;        // Empty: it names no key.
  std::string payload;    // A JSON object without duplicate keys.
  std::string issuer;     // As the token claims.
  std::string_view text;  // What is signed; points into the token.
  std::string signature;
};

// Two dots: anything else is not a JWT.
bool looks_like_jwt(std::string_view token);

// Code::unauthenticated, with the reason, for anything that is not exactly valid.
Result<Jwt> parse_jwt(std::string_view token);

// What a token must satisfy.
struct JwtRules {
  const JwtSettings& issuer;
  std::string_view audience;
  const std::vector<std::string>& scopes;
};

struct JwtCaller {
  Principal principal;
  WallTime until;  // Valid before this time.
};

// REQUIRES: the signature has been verified. Code::forbidden if only scopes are missing.
Result<JwtCaller> check_claims(const Jwt& jwt, const JwtRules& rules, WallTime now);

}  // namespace patchbay::policy
