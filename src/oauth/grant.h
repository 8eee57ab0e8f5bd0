// A Grant is what a person has given us by signing in: a token, one to renew it with, and all that
// must be known to do so. It is kept in the TokenStore as text. Values only; pure.
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
  std::string endpoint;  // For tokens.
  std::string resource;
  Scopes scopes;  // That were asked for.
  Client client;  // Without its key, which the configuration has.
  std::string access;
  std::string refresh;       // Empty: it cannot be renewed.
  std::int64_t expires = 0;  // In seconds since 1970; 0: nobody knows.
};

// What a token endpoint has answered, put into the grant. Without a new token to renew it with, the
// old one stays good.
void take(Grant& grant, const TokenAnswer& answer, std::chrono::system_clock::time_point now);

// How long its token is good from now on; nothing if nobody knows.
std::optional<std::chrono::seconds> life_of(const Grant& grant,
                                            std::chrono::system_clock::time_point now);

std::string to_text(const Grant& grant);
Result<Grant> grant_from(std::string_view text);

}  // namespace patchbay::oauth
