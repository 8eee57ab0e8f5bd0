// Reaches another gateway, or any server, that speaks the wire protocol on TCP, so that gateways
// chain.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <string>

#include "mcp_client/connect/connector.h"
#include "mcp_client/connect/http_settings.h"
#include "net/http/syntax/url.h"
#include "net/tls/context.h"

namespace patchbay::upstreams {

enum class SentHeader : std::uint8_t { seven, eight };

struct WireTcpSettings : McpSettings {
  std::string url;
  std::string token;
  TlsSettings tls;
  int instances = 1;
  SentHeader frame_header = SentHeader::seven;
  config::Duration connect_time{5'000};
  config::Bytes outbox{16 << 20};
  config::Bytes message{64 << 20};
  config::Duration frame_time{30'000};
  config::Duration ping{30'000};
  config::Duration pong{60'000};
};

class WireConnector final : public Connector {
 public:
  // `tls` may be null if the URL does not ask for it.
  WireConnector(net::Url url, std::shared_ptr<const net::TlsContext> tls,
                const WireTcpSettings& settings)
      : url_(std::move(url)), tls_(std::move(tls)), settings_(settings) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  const net::Url url_;
  const std::shared_ptr<const net::TlsContext> tls_;
  const WireTcpSettings settings_;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::choices<upstreams::SentHeader> = std::array{
    Choice{"7", upstreams::SentHeader::seven},
    Choice{"8", upstreams::SentHeader::eight},
};

template <>
inline constexpr auto config::fields<upstreams::WireTcpSettings> = std::tuple_cat(
    std::tuple{
        Field{"url", &upstreams::WireTcpSettings::url,
              "URL of the server: tcp://host:port, or tcps:// with TLS. Default port: 8444.",
              Required{}},
        Field{"token", &upstreams::WireTcpSettings::token, "Token in each message. Empty: none."},
        Field{"tls", &upstreams::WireTcpSettings::tls, "TLS settings for a tcps server."},
        Field{"instances", &upstreams::WireTcpSettings::instances,
              "Number of connections. Calls are distributed over them.", Range{1, 64}},
        Field{"frame_header", &upstreams::WireTcpSettings::frame_header,
              "Frame header to send: 7 or 8 bytes."},
        Field{"connect_timeout", &upstreams::WireTcpSettings::connect_time,
              "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
              Alias{"connect_time"}},
        Field{"max_outbox_size", &upstreams::WireTcpSettings::outbox,
              "Maximum size of the data queued for a server that does not read. Beyond it, calls "
              "are refused.",
              Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
        Field{"max_message_size", &upstreams::WireTcpSettings::message,
              "Maximum size of a chunked message from the server.",
              Range{Bytes{1024}, Bytes{std::uint64_t{1} << 32}}, Alias{"message"}},
        Field{"frame_timeout", &upstreams::WireTcpSettings::frame_time,
              "Maximum time to receive a frame after its first byte.",
              Range{Duration(10), Duration(3'600'000)}, Alias{"frame_time"}},
        Field{"ping_interval", &upstreams::WireTcpSettings::ping,
              "Time without a message after which the server is pinged.",
              Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
        Field{"pong_timeout", &upstreams::WireTcpSettings::pong,
              "Maximum time to wait for the reply to a ping. Then the gateway reconnects.",
              Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
