#include "mcp_client/connect/wire.h"

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
  WireConnection(std::unique_ptr<net::Stream> stream, const WireTcpSettings& settings)
      : frames_(std::move(stream), frame_settings(settings)),
        channel_(frames_, envelope_settings(settings)) {}

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
  co_return std::make_unique<WireConnection>(*std::move(stream), settings_);
}

}  // namespace patchbay::upstreams
