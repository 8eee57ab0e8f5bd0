// The bodies of HTTP error responses. The form of an error depends on the path, so that each
// frontend has one form, whichever layer refuses the request.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::frontends {

// The form of REST answers: that of MCP below /mcp/v1, plain below /api, /rcs and /agents.
enum class Dialect : std::uint8_t { mcp, plain };

// The form of a path, whether or not the path is served.
Dialect dialect_of(std::string_view path);

// {"error":{"code":…,"message":…}} for MCP, {"error":"Not Found","message":…} for plain.
std::string error_body(Dialect dialect, int status, const Error& error);

// The plain form of a message.
std::string plain_error_body(int status, std::string_view message);

// {"error":…} with a line feed: the form of all other pages.
std::string error_json(std::string_view message);

// The form of the frontend that serves the path.
std::string error_body_at(std::string_view path, int status, const Error& error);

}  // namespace patchbay::frontends
