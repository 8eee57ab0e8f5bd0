#include "frontends/error_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/text.h"
#include "mcp/reply.h"
#include "net/http/server/exchange.h"

namespace patchbay::frontends {
namespace {

bool is_mcp(std::string_view path) {
  constexpr std::array<std::string_view, 4> kPaths{"/mcp", "/sse", "/message", "/mcp/message"};
  return std::ranges::find(kPaths, path) != kPaths.end();
}

bool is_rest(std::string_view path) {
  constexpr std::array<std::string_view, 5> kPrefixes{"/mcp/v1/", "/gateway/", "/api/", "/rcs/",
                                                      "/agents/"};
  const auto begins = [&](std::string_view prefix) { return path.starts_with(prefix); };
  return std::ranges::any_of(kPrefixes, begins) && !path.starts_with("/api/agent/");
}

}  // namespace

Dialect dialect_of(std::string_view path) {
  return path.starts_with("/mcp/") || path.starts_with("/gateway/") ? Dialect::mcp : Dialect::plain;
}

std::string plain_error_body(int status, std::string_view message) {
  return fmt::format(R"({{"error":"{}","message":{}}})", net::reason_phrase(status),
                     json::quote(message));
}

std::string error_body(Dialect dialect, int status, const Error& error) {
  return dialect == Dialect::mcp ? fmt::format(R"({{"error":{}}})", mcp::error_object(error))
                                 : plain_error_body(status, error.message);
}

std::string error_json(std::string_view message) {
  return fmt::format("{{\"error\":{}}}\n", json::quote(message));
}

std::string error_body_at(std::string_view path, int status, const Error& error) {
  if (is_mcp(path)) return mcp::response_without_id(mcp::error_reply(error));
  if (is_rest(path)) return error_body(dialect_of(path), status, error);
  return error_json(error.message);
}

}  // namespace patchbay::frontends
