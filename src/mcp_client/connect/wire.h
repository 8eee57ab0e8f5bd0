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
              "Where it listens: tcp://host:port, or tcps:// under TLS; port 8444 if none is said.",
              Required{}},
        Field{"token", &upstreams::WireTcpSettings::token,
              "The token that each message carries; empty: none."},
        Field{"tls", &upstreams::WireTcpSettings::tls, "How a tcps server is trusted."},
        Field{"instances", &upstreams::WireTcpSettings::instances,
              "How many connections are kept; calls are spread over them.", Range{1, 64}},
        Field{"frame_header", &upstreams::WireTcpSettings::frame_header,
              "The header of the frames that we send: of 7 bytes or of 8."},
        Field{"connect_time", &upstreams::WireTcpSettings::connect_time,
              "How long a connection may take to be made.", Range{Duration(10), Duration(600'000)}},
        Field{"outbox", &upstreams::WireTcpSettings::outbox,
              "What may wait for it when it does not read; beyond that, calls are refused.",
              Range{Bytes{1024}, Bytes{1 << 30}}},
        Field{"message", &upstreams::WireTcpSettings::message,
              "The largest message that it may send in pieces.",
              Range{Bytes{1024}, Bytes{std::uint64_t{1} << 32}}},
        Field{"frame_time", &upstreams::WireTcpSettings::frame_time,
              "How long a frame may take to arrive, once it has begun.",
              Range{Duration(10), Duration(3'600'000)}},
        Field{"ping", &upstreams::WireTcpSettings::ping,
              "After how long without a word it is asked whether it is still there.",
              Range{Duration(100), Duration(3'600'000)}},
        Field{"pong", &upstreams::WireTcpSettings::pong,
              "How long it may take to answer that; then the connection is made anew.",
              Range{Duration(100), Duration(3'600'000)}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
