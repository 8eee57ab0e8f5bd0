// Reaches another gateway, or any server, that speaks the wire protocol on TCP, so that gateways
// can be chained.
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
  // `tls` may be null if the URL does not need it.
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
const config::Fields& config::fields<upstreams::WireTcpSettings>();

}  // namespace patchbay
