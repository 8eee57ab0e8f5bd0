// How an HTTP connection becomes a WebSocket (RFC 6455, section 4), on both sides. No extension is
// offered or accepted; of subprotocols only `mcp`, which is optional.
//
// Pure; usable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "net/http/syntax/parse.h"

namespace patchbay::net {

inline constexpr std::string_view kWsProtocol = "mcp";

// True if the request asks for a WebSocket, whether correctly or not.
bool wants_websocket(const HttpRequest& request);

// The server's response to such a request.
struct WsAnswer {
  int status = 101;    // Otherwise: the request is refused, for the reason in `message`.
  std::string fields;  // Header lines of the answer, each with its CRLF.
  std::string message = {};
  bool mcp = false;  // The subprotocol was requested.
};
WsAnswer answer_upgrade(const HttpRequest& request);

// The Sec-WebSocket-Accept that belongs to a Sec-WebSocket-Key.
std::string ws_accept(std::string_view key);

// A random key.
std::string ws_new_key();

// The request of a client. `fields` are further header lines, each with its CRLF.
std::string ws_request(std::string_view authority, std::string_view path, std::string_view key,
                       bool mcp, std::string_view fields);

// Whether a server has agreed to it, and to the subprotocol. Code::unauthenticated and
// Code::forbidden for its 401 and 403, Code::upstream_failed for any other invalid response.
Result<bool> check_ws_response(const HttpResponseHead& head, std::string_view key, bool mcp);

}  // namespace patchbay::net
