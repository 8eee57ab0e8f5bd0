// What a token endpoint answers (RFC 6749, 5): a token, or why there is none. Values only; pure.
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
  std::optional<std::chrono::seconds> expires = {};  // None: it does not say.
  std::optional<Scopes> scopes = {};                 // None: those that were asked for.
  std::string issued_type = {};                      // Of a token exchange: what `access` is.
};

// Words of the other side as they may be logged and shown: cut, and without control characters.
std::string plain_words(std::string_view words);

// What an endpoint of OAuth says in its error, in one sentence that names nothing secret.
std::string reason_of_refusal(int status, std::string_view body);

// The code that it gives: `invalid_grant`, `invalid_client`; empty if it gives none.
std::string code_of_refusal(std::string_view body);

// The answer with a status of success. `bearer`: anything but a bearer token is an error.
Result<TokenAnswer> parse_token_answer(std::string_view body, bool bearer = true);

}  // namespace patchbay::oauth
