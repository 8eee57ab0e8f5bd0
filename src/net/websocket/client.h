// The client's side of a WebSocket: connects, with TLS for wss, and performs the handshake.
//
// Confined to the worker that made it.
#pragma once

#include <memory>
#include <string>

#include "net/http/syntax/url.h"
#include "net/stream/stream.h"
#include "net/tls/context.h"
#include "net/websocket/socket.h"

namespace patchbay::net {

// The address of a server, and the parameters of the handshake.
struct WebSocketTarget {
  Url url;
  std::shared_ptr<const TlsContext> tls;  // Null only if the URL has no TLS.
  std::string fields;                     // Further header lines, each with its CRLF.
  bool mcp = false;                       // Requests the subprotocol of that name.
  WebSocketSettings settings;
};

// A connection whose handshake is complete.
class ClientWebSocket {
 public:
  // Code::unavailable if the server cannot be reached, Code::unauthenticated and Code::forbidden if
  // it refuses with those statuses, Code::upstream_failed if it does not speak WebSocket.
  static Task<std::unique_ptr<ClientWebSocket>> connect(WebSocketTarget target, Deadline deadline);

  WebSocket& socket() { return socket_; }

  // The server has agreed to the subprotocol.
  bool mcp() const { return mcp_; }

 private:
  ClientWebSocket(std::unique_ptr<Stream> stream, const WebSocketSettings& settings)
      : stream_(std::move(stream)), socket_(*stream_, input_, WsSide::client, settings) {}

  Task<void> do_handshake(const WebSocketTarget& target, Deadline deadline);

  const std::unique_ptr<Stream> stream_;
  InputBuffer input_;
  WebSocket socket_;
  bool mcp_ = false;
};

}  // namespace patchbay::net
