// A Grant is the result of a sign-in: a token, a refresh token, and all that is needed to renew. It
// is stored in the TokenStore as text. Values only; pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oauth/client.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {

struct Grant {
  std::string issuer;
  std::string endpoint;  // The token endpoint.
  std::string resource;
  Scopes scopes;  // The requested ones.
  Client client;  // Without its private key, which the configuration has.
  std::string access;
  std::string refresh;       // Empty: it cannot be renewed.
  std::int64_t expires = 0;  // In seconds since 1970; 0: unknown.
};

// Updates the grant with the answer of a token endpoint. Without a new refresh token the old one
// stays valid.
void take(Grant& grant, const TokenAnswer& answer, std::chrono::system_clock::time_point now);

// The remaining lifetime of its token; none if unknown.
std::optional<std::chrono::seconds> lifetime_of(const Grant& grant,
                                                std::chrono::system_clock::time_point now);

std::string to_text(const Grant& grant);
Result<Grant> grant_from(std::string_view text);

}  // namespace patchbay::oauth
