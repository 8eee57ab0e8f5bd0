#include "net/http/syntax/cors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/http_token.h"

namespace patchbay::net {
namespace {

// Headers that clients of our frontends send. A page needs our permission for them.
constexpr std::string_view kHeaders =
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, "
    "Mcp-Method, Mcp-Name, If-None-Match, Range, traceparent, tracestate, baggage";
// Response headers that a page may read.
constexpr std::string_view kExposed =
    "Mcp-Session-Id, WWW-Authenticate, Retry-After, Location, ETag, X-RateLimit-Limit, "
    "X-RateLimit-Remaining, X-RateLimit-Reset";
// For routes whose handler checks the method.
constexpr std::string_view kAnyMethod = "GET, HEAD, POST, PUT, DELETE";
// The prefix of headers that tools define.
constexpr std::string_view kParameter = "mcp-param-";

// Those of the requested headers that begin with kParameter.
std::string wanted_parameters(std::string_view wanted) {
  std::string found;
  while (!wanted.empty()) {
    const auto end = std::min(wanted.find(','), wanted.size());
    const auto name = trim(wanted.substr(0, end));
    if (is_token(name) && same_token(name.substr(0, kParameter.size()), kParameter)) {
      found += fmt::format(", {}", name);
    }
    wanted.remove_prefix(std::min(end + 1, wanted.size()));
  }
  return found;
}

}  // namespace

bool cors_allows(const CorsSettings& cors, std::string_view origin) {
  return std::ranges::any_of(cors.origins, [&](const std::string& allowed) {
    return allowed == "*" || same_token(allowed, origin);
  });
}

bool is_preflight(const HttpRequest& request) {
  return request.method == "OPTIONS" && request.fields.find("Origin") &&
         request.fields.find("Access-Control-Request-Method");
}

std::string cors_fields(const CorsSettings& cors, std::string_view origin) {
  if (!cors_allows(cors, origin)) return {};
  return fmt::format(
      "Access-Control-Allow-Origin: {}\r\nVary: Origin\r\n{}Access-Control-Expose-Headers: {}\r\n",
      origin, cors.credentials ? "Access-Control-Allow-Credentials: true\r\n" : "", kExposed);
}

std::string preflight_fields(const CorsSettings& cors, const HttpRequest& request,
                             std::string_view methods) {
  std::string headers(kHeaders);
  for (const auto& name : cors.headers) headers += fmt::format(", {}", name);
  headers += wanted_parameters(
      request.fields.find("Access-Control-Request-Headers").value_or(std::string_view()));
  return fmt::format(
      "Access-Control-Allow-Methods: {}\r\nAccess-Control-Allow-Headers: {}\r\n"
      "Access-Control-Max-Age: {}\r\n",
      methods == "*" ? kAnyMethod : methods, headers, cors.max_age.count());
}

}  // namespace patchbay::net
