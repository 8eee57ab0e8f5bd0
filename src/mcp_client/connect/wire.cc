#include "mcp_client/connect/wire.h"

#include "config/fields.h"

#include "net/io/socket.h"
#include "net/stream/stream.h"
#include "transport/wire/envelope_channel.h"
#include "transport/wire/frame_channel.h"

namespace patchbay::upstreams {
namespace {

using wire::Header;

transport::FrameSettings frame_settings(const WireTcpSettings& settings) {
  return {.writes = settings.frame_header == SentHeader::eight ? Header::eight : Header::seven,
          .outbox = settings.outbox.value,
          .frame_time = settings.frame_time,
          .ping = settings.ping,
          .pong = settings.pong};
}

transport::EnvelopeSettings envelope_settings(const WireTcpSettings& settings) {
  const wire::ChunkLimits chunks{.message = settings.message.value};
  return {.token = settings.token, .most = chunks.piece, .chunks = chunks};
}

class WireConnection final : public Connection {
 public:
  WireConnection(std::unique_ptr<net::Stream> stream, const WireTcpSettings& settings,
                 const net::Url& url)
      : frames_(std::move(stream), frame_settings(settings)),
        channel_(frames_, envelope_settings(settings)) {
    channel_.set_server(url.host, url.port);
  }

  transport::Channel& channel() override { return channel_; }
  void use_token(const std::string& token) override { channel_.set_token(token); }
  Task<void> end(bool) override {
    channel_.close();
    co_return co_await frames_.finish();
  }

 private:
  transport::FrameChannel frames_;
  transport::EnvelopeChannel channel_;
};

}  // namespace

Task<std::unique_ptr<Connection>> WireConnector::connect(Deadline deadline) {
  const Deadline by = std::min(deadline, here().now() + settings_.connect_time);
  auto stream = co_await net::connect_stream(url_, tls_, by);
  if (!stream) co_return stream.error();
  net::set_no_delay((*stream)->fd());
  co_return std::make_unique<WireConnection>(*std::move(stream), settings_, url_);
}

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::WireTcpSettings>() {
  static const Fields kFields = join(
      {fields_of<upstreams::WireTcpSettings>({
           {"url", &upstreams::WireTcpSettings::url,
            "URL of the server: tcp://host:port, or tcps:// with TLS. Default port: 8444.",
            Required{}},
           {"token", &upstreams::WireTcpSettings::token, "Token in each message. Empty: none."},
           {"tls", &upstreams::WireTcpSettings::tls, "TLS settings for a tcps server."},
           {"instances", &upstreams::WireTcpSettings::instances,
            "Number of connections. Calls are distributed over them.", Range{1, 64}},
           {"frame_header", &upstreams::WireTcpSettings::frame_header,
            "Frame header to send: 7 or 8 bytes."},
           {"connect_timeout", &upstreams::WireTcpSettings::connect_time,
            "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
            Alias{"connect_time"}},
           {"max_outbox_size", &upstreams::WireTcpSettings::outbox,
            "Maximum size of the data queued for a server that does not read. Beyond it, calls "
            "are refused.",
            Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
           {"max_message_size", &upstreams::WireTcpSettings::message,
            "Maximum size of a chunked message from the server.",
            Range{Bytes{1024}, Bytes{std::uint64_t{1} << 32}}, Alias{"message"}},
           {"frame_timeout", &upstreams::WireTcpSettings::frame_time,
            "Maximum time to receive a frame after its first byte.",
            Range{Duration(10), Duration(3'600'000)}, Alias{"frame_time"}},
           {"ping_interval", &upstreams::WireTcpSettings::ping,
            "Time without a message after which the server is pinged.",
            Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
           {"pong_timeout", &upstreams::WireTcpSettings::pong,
            "Maximum time to wait for the reply to a ping. Then the gateway reconnects.",
            Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
       }),
       inherited<upstreams::WireTcpSettings, upstreams::McpSettings>()});
  return kFields;
}

}  // namespace patchbay
