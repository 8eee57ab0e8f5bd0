// One request to a token endpoint, and its outcome.
#pragma once

#include <cstdint>

#include "oauth/client.h"
#include "oauth/fetcher.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {

// The party that the token is for: an upstream, or another authorization server.
enum class TokenUse : std::uint8_t { bearer, assertion };

// `invalid_grant` is the one refusal that concerns the grant and not the client: its error is
// Code::unauthenticated. Everything else is Code::upstream_failed, or the error of the connection.
// REQUIRES: the arguments outlive the task.
Task<TokenAnswer> request_token(const Fetcher& fetcher, const ServerMetadata& server,
                                const Client& client, Form form, TokenUse use = TokenUse::bearer);

}  // namespace patchbay::oauth
