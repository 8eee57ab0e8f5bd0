// One request to a token endpoint, and what becomes of it.
#pragma once

#include <cstdint>

#include "oauth/client.h"
#include "oauth/fetcher.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {

// What the answer is for: to be shown to an upstream, or to another authorization server.
enum class TokenUse : std::uint8_t { bearer, assertion };

// `invalid_grant` is the one refusal that says something about what we hold, not about us: its
// error is Code::unauthenticated. Everything else is Code::upstream_failed, or what the wire came
// to. REQUIRES: what is referred to outlives the task.
Task<TokenAnswer> request_token(const Fetcher& fetcher, const ServerMetadata& server,
                                const Client& client, Form form, TokenUse use = TokenUse::bearer);

}  // namespace patchbay::oauth
