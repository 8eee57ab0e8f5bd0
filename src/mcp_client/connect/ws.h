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
              "Where it listens: ws://host:port/path, or wss:// under TLS; port 8443 and /mcp if "
              "none is said.",
              Required{}},
        Field{"token", &upstreams::WsSettings::token,
              "The token that it is shown, when the connection is made and in each envelope; "
              "empty: none."},
        Field{"headers", &upstreams::WsSettings::headers,
              "Header fields of the request that opens the connection."},
        Field{"tls", &upstreams::WsSettings::tls, "How a wss server is trusted."},
        Field{"instances", &upstreams::WsSettings::instances,
              "How many connections are kept; calls are spread over them.", Range{1, 64}},
        Field{"envelope", &upstreams::WsSettings::envelope,
              "Whether messages go in the envelopes of the wire protocol; auto: unless the server "
              "agrees to the subprotocol `mcp`, which is plain MCP."},
        Field{"connect_time", &upstreams::WsSettings::connect_time,
              "How long a connection may take to be made.", Range{Duration(10), Duration(600'000)}},
        Field{"message", &upstreams::WsSettings::message, "The largest message that it may send.",
              Range{Bytes{1024}, Bytes{1 << 30}}},
        Field{"outbox", &upstreams::WsSettings::outbox,
              "What may wait for it when it does not read; beyond that, calls are refused.",
              Range{Bytes{1024}, Bytes{1 << 30}}},
        Field{"message_time", &upstreams::WsSettings::message_time,
              "How long a message may take to arrive, once it has begun.",
              Range{Duration(10), Duration(3'600'000)}},
        Field{"ping", &upstreams::WsSettings::ping, "How often it is asked whether it is there.",
              Range{Duration(100), Duration(3'600'000)}},
        Field{"pong", &upstreams::WsSettings::pong,
              "How long it may take to answer that; then the connection is made anew.",
              Range{Duration(100), Duration(3'600'000)}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
