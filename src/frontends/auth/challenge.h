// The response to a refused client: 401 with the ways to authenticate, 403 with the missing scopes,
// 429 with the time to retry; each in the form of the frontend of the path. And the metadata of the
// gateway as an OAuth resource server (RFC 9728).
//
// Values only; pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/result.h"
#include "policy/auth/settings.h"

namespace patchbay::frontends {

inline constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";

struct Refusal {
  int status = 401;
  std::string body;
  std::string fields;  // Header lines, each with its CRLF.
};

// The error's code decides: unauthenticated, forbidden, overloaded, unavailable. `given`: the
// request had credentials, but invalid ones. `script`: a script of our own page sent the request,
// and the browser must not ask for a password.
Refusal refusal(const policy::AuthSettings& settings, std::string_view path, const Error& error,
                bool given, bool script = false);

// Too many failed attempts.
Refusal refusal_until(std::string_view path, std::chrono::nanoseconds wait);

// The metadata as a JSON object; empty if the gateway accepts no tokens of an authorization server.
std::string resource_metadata(const policy::AuthSettings& settings);

// The path of the resource itself: `/mcp` in https://gateway.example/mcp; empty for a bare origin.
std::string_view resource_path(const policy::AuthSettings& settings);

}  // namespace patchbay::frontends
