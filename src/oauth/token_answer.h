// The answer of a token endpoint (RFC 6749, 5): a token, or an error. Values only; pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "oauth/scopes.h"

namespace patchbay::oauth {

struct TokenAnswer {
  std::string access = {};
  std::string refresh = {};                          // Empty: none.
  std::optional<std::chrono::seconds> expires = {};  // None: not stated.
  std::optional<Scopes> scopes = {};                 // None: the requested ones.
  std::string issued_type = {};                      // The type of the exchanged token `access`.
};

// A foreign text as it may be logged and displayed: truncated, without control characters.
std::string printable(std::string_view raw);

// Whether a token can be sent as it is, in a header line.
bool is_sendable(std::string_view token);

// The error of an OAuth endpoint in one sentence, without secrets.
std::string reason_of_refusal(int status, std::string_view body);

// Its error code: `invalid_grant`, `invalid_client`; empty if there is none.
std::string code_of_refusal(std::string_view body);

// A successful answer. `bearer`: anything but a bearer token is an error.
Result<TokenAnswer> parse_token_answer(std::string_view body, bool bearer = true);

}  // namespace patchbay::oauth
