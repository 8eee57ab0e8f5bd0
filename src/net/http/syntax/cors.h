// CORS: which web pages of other origins may read our answers, and what they may send. A browser
// asks first (a preflight, without credentials) and then looks at the fields of each answer.
//
// Values only; pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/syntax/parse.h"

namespace patchbay::net {

struct CorsSettings {
  std::vector<std::string> origins;  // `*` stands for all.
  std::vector<std::string> headers;  // That a page may send beside those of our own front ends.
  std::chrono::seconds max_age{600};
  bool credentials = false;
};

bool cors_allows(const CorsSettings& cors, std::string_view origin);

// A browser asks what it may do; the request itself would follow.
bool is_preflight(const HttpRequest& request);

// The header lines of an answer, each with its CRLF; nothing for an origin that is not allowed.
std::string cors_fields(const CorsSettings& cors, std::string_view origin);

// What the answer to a preflight says beyond that. `methods` are those of the route.
std::string preflight_fields(const CorsSettings& cors, const HttpRequest& request,
                             std::string_view methods);

}  // namespace patchbay::net
