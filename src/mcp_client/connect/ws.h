// Reaches a server over WebSocket: one that speaks plain MCP in it (the subprotocol `mcp`), or a
// gateway that speaks the wire protocol.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <string>

#include "mcp_client/connect/connector.h"
#include "mcp_client/connect/http_settings.h"
#include "net/websocket/client.h"

namespace patchbay::upstreams {

// Whether messages are sent in envelopes of the wire protocol. Automatic: yes, unless the server
// agrees to the subprotocol.
enum class WsEnvelope : std::uint8_t { automatic, always, never };

struct WsSettings : McpSettings {
  std::string url;
  std::string token;
  config::Dict<std::string> headers;
  TlsSettings tls;
  int instances = 1;
  WsEnvelope envelope = WsEnvelope::automatic;
  config::Duration connect_time{5'000};
  config::Bytes message{64 << 20};
  config::Bytes outbox{16 << 20};
  config::Duration message_time{30'000};
  config::Duration ping{30'000};
  config::Duration pong{60'000};
};

class WsConnector final : public Connector {
 public:
  WsConnector(net::WebSocketTarget target, const WsSettings& settings)
      : target_(std::move(target)), settings_(settings) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  const net::WebSocketTarget target_;
  const WsSettings settings_;
};

// The address of the server, from its settings. The error names the setting and the reason.
Result<net::WebSocketTarget> ws_target(const WsSettings& settings);

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::choices<upstreams::WsEnvelope> = std::array{
    Choice{"auto", upstreams::WsEnvelope::automatic},
    Choice{"always", upstreams::WsEnvelope::always},
    Choice{"never", upstreams::WsEnvelope::never},
};

template <>
const config::Fields& config::fields<upstreams::WsSettings>();

}  // namespace patchbay
