#include "mcp_client/connect/ws.h"

#include "config/fields.h"

#include <fmt/format.h>

#include <optional>

#include "core/discard.h"
#include "mcp_client/connect/http.h"
#include "transport/wire/envelope_channel.h"
#include "transport/ws_channel.h"

namespace patchbay::upstreams {
namespace {

// How long an abandoned server may take to close its side.
constexpr auto kCloseTime = std::chrono::seconds(1);

class WsConnection final : public Connection {
 public:
  WsConnection(std::unique_ptr<net::ClientWebSocket> client, bool envelopes,
               const std::string& token, const net::Url& url)
      : client_(std::move(client)), texts_(client_->socket()) {
    if (envelopes) envelopes_.emplace(texts_, transport::EnvelopeSettings{.token = token});
    WsConnection::channel().set_server(url.host, url.port);
  }

  transport::Channel& channel() override {
    if (envelopes_) return *envelopes_;
    return texts_;
  }

  void use_token(const std::string& token) override {
    if (envelopes_) envelopes_->set_token(token);
  }

  Task<void> end(bool orderly) override {
    texts_.close();
    // A server that was lost, or violated the protocol, also gets a close frame with the reason.
    const Deadline deadline = orderly ? kNever : here().now() + kCloseTime;
    auto over = co_await client_->socket().over(deadline);
    discard(over, "a server that does not close has had its time");
    co_return ok();
  }

 private:
  const std::unique_ptr<net::ClientWebSocket> client_;
  transport::WsChannel texts_;
  std::optional<transport::EnvelopeChannel> envelopes_;
};

}  // namespace

Task<std::unique_ptr<Connection>> WsConnector::connect(Deadline deadline) {
  const Deadline by = std::min(deadline, here().now() + settings_.connect_time);
  auto client = co_await net::ClientWebSocket::connect(target_, by);
  if (!client) co_return client.error();
  const bool envelopes = settings_.envelope == WsEnvelope::always ||
                         (settings_.envelope == WsEnvelope::automatic && !(*client)->mcp());
  co_return std::make_unique<WsConnection>(*std::move(client), envelopes, settings_.token,
                                           target_.url);
}

Result<net::WebSocketTarget> ws_target(const WsSettings& settings) {
  auto url = net::parse_url(settings.url, net::kWsSchemes);
  if (!url) return url.error();
  config::Dict<std::string> headers = settings.headers;
  if (!settings.token.empty()) {
    headers.emplace_back("Authorization", fmt::format("Bearer {}", settings.token));
  }
  auto fields = header_lines(headers);
  if (!fields) return fields.error();
  net::WebSocketTarget target;
  target.url = *std::move(url);
  target.fields = *std::move(fields);
  if (target.url.tls) {
    auto context = client_tls(settings.tls);
    if (!context) return context.error();
    target.tls = *std::move(context);
  }
  target.mcp = settings.envelope != WsEnvelope::always;
  target.settings.limits.message = settings.message.value;
  target.settings.outbox = settings.outbox.value;
  target.settings.message_time = settings.message_time;
  target.settings.ping = settings.ping;
  target.settings.pong = settings.pong;
  return target;
}

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::WsSettings>() {
  static const Fields kFields = join(
      {fields_of<upstreams::WsSettings>({
           {"url", &upstreams::WsSettings::url,
            "URL of the server: ws://host:port/path, or wss:// with TLS. Default port: 8443; "
            "default path: /mcp.",
            Required{}},
           {"token", &upstreams::WsSettings::token,
            "Token sent in the opening request and in each envelope. Empty: none."},
           {"headers", &upstreams::WsSettings::headers, "Header fields of the opening request."},
           {"tls", &upstreams::WsSettings::tls, "TLS settings for a wss server."},
           {"instances", &upstreams::WsSettings::instances,
            "Number of connections. Calls are distributed over them.", Range{1, 64}},
           {"envelope", &upstreams::WsSettings::envelope,
            "Whether messages use the envelopes of the wire protocol. auto: unless the server "
            "selects the subprotocol `mcp`, which is plain MCP."},
           {"connect_timeout", &upstreams::WsSettings::connect_time,
            "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
            Alias{"connect_time"}},
           {"max_message_size", &upstreams::WsSettings::message,
            "Maximum size of a message from the server.", Range{Bytes{1024}, Bytes{1 << 30}},
            Alias{"message"}},
           {"max_outbox_size", &upstreams::WsSettings::outbox,
            "Maximum size of the data queued for a server that does not read. Beyond it, calls "
            "are refused.",
            Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
           {"message_timeout", &upstreams::WsSettings::message_time,
            "Maximum time to receive a message after its first byte.",
            Range{Duration(10), Duration(3'600'000)}, Alias{"message_time"}},
           {"ping_interval", &upstreams::WsSettings::ping, "Interval between pings to the server.",
            Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
           {"pong_timeout", &upstreams::WsSettings::pong,
            "Maximum time to wait for the reply to a ping. Then the gateway reconnects.",
            Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
       }),
       inherited<upstreams::WsSettings, upstreams::McpSettings>()});
  return kFields;
}

}  // namespace patchbay
