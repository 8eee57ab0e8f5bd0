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

// Whether messages go in envelopes of the wire protocol. Automatic: unless the server agrees to the
// subprotocol.
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

// Where the server is, from its settings. The error says which of them is wrong, and why.
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
inline constexpr auto config::fields<upstreams::WsSettings> = std::tuple_cat(
    std::tuple{
        Field{"url", &upstreams::WsSettings::url,
              "URL of the server: ws://host:port/path, or wss:// with TLS. Default port: 8443; "
              "default path: /mcp.",
              Required{}},
        Field{"token", &upstreams::WsSettings::token,
              "Token sent in the opening request and in each envelope. Empty: none."},
        Field{"headers", &upstreams::WsSettings::headers, "Header fields of the opening request."},
        Field{"tls", &upstreams::WsSettings::tls, "TLS settings for a wss server."},
        Field{"instances", &upstreams::WsSettings::instances,
              "Number of connections. Calls are distributed over them.", Range{1, 64}},
        Field{"envelope", &upstreams::WsSettings::envelope,
              "Whether messages use the envelopes of the wire protocol. auto: unless the server "
              "selects the subprotocol `mcp`, which is plain MCP."},
        Field{"connect_timeout", &upstreams::WsSettings::connect_time,
              "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
              Alias{"connect_time"}},
        Field{"max_message_size", &upstreams::WsSettings::message,
              "Maximum size of a message from the server.", Range{Bytes{1024}, Bytes{1 << 30}},
              Alias{"message"}},
        Field{"max_outbox_size", &upstreams::WsSettings::outbox,
              "Maximum size of the data queued for a server that does not read. Beyond it, calls "
              "are refused.",
              Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
        Field{"message_timeout", &upstreams::WsSettings::message_time,
              "Maximum time to receive a message after its first byte.",
              Range{Duration(10), Duration(3'600'000)}, Alias{"message_time"}},
        Field{"ping_interval", &upstreams::WsSettings::ping,
              "Interval between pings to the server.", Range{Duration(100), Duration(3'600'000)},
              Alias{"ping"}},
        Field{"pong_timeout", &upstreams::WsSettings::pong,
              "Maximum time to wait for the reply to a ping. Then the gateway reconnects.",
              Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
