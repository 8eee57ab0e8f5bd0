// CORS: which web pages of other origins may read our responses, and what they may send. A browser
// first sends a preflight request without credentials and then reads the fields of each response.
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
  std::vector<std::string>
      headers;  // Headers that a page may send besides those of our own frontends.
  std::chrono::seconds max_age{600};
  bool credentials = false;
};

bool cors_allows(const CorsSettings& cors, std::string_view origin);

// A preflight request; the request itself would follow.
bool is_preflight(const HttpRequest& request);

// The header lines of an answer, each with its CRLF; nothing for an origin that is not allowed.
std::string cors_fields(const CorsSettings& cors, std::string_view origin);

// The other fields of the response to a preflight. `methods` are those of the route.
std::string preflight_fields(const CorsSettings& cors, const HttpRequest& request,
                             std::string_view methods);

}  // namespace patchbay::net
