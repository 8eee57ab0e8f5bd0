// A FrameConnection is one connection of the binary wire protocol, on either side: it reads and
// decompresses frames, answers PINGs, sends PINGs when the peer is idle, and queues frames to send.
// Its listener interprets the frames.
//
// Confined to the thread of its stream.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "net/io/input_buffer.h"
#include "net/stream/outbox.h"
#include "net/stream/stream.h"
#include "transport/wire/frame.h"
#include "transport/wire/gzip.h"

namespace patchbay::transport {

struct FrameSettings {
  wire::FrameRules rules = {};
  wire::Header writes = wire::Header::unknown;  // Unknown: the one that the peer uses.
  wire::GunzipLimits gunzip = {};
  std::size_t gzip_above = 0;  // Larger payloads are sent compressed to a peer that compresses
                               // too; 0: never.
  std::size_t outbox = 16 << 20;
  std::chrono::nanoseconds frame_time =
      std::chrono::seconds(30);  // From its first byte to its last.
  std::chrono::nanoseconds ping =
      std::chrono::seconds(30);  // After this idle time a PING is sent...
  std::chrono::nanoseconds pong =
      std::chrono::seconds(60);  // ...and the reply must arrive within this time.
};

class FrameConnection {
 public:
  class Listener {
   public:
    // A frame other than PING, PONG and CLOSE. No further frame is read until it is handled; if it
    // fails, reading ends with its error. The payload is valid until then.
    virtual Task<void> on_frame(wire::FrameType type, std::string_view payload) = 0;

   protected:
    ~Listener() = default;
  };

  // REQUIRES: `stream` outlives the connection.
  FrameConnection(net::Stream& stream, const FrameSettings& settings);

  // Reads until the peer has ended its side in order (ok), or fails: Code::invalid_request or
  // too_large if it violates the protocol, timeout if it is too slow, unavailable if it has
  // disconnected.
  Task<void> read(Listener& listener);

  // The peer has sent CLOSE, with that reason.
  const std::optional<std::string>& closed() const { return closed_; }

  // Reading ends with Code::timeout at that time; kNever: without a limit.
  void set_deadline(Deadline deadline) { deadline_ = deadline; }
  void set_most(std::size_t most) { decoder_.set_most(most); }

  // Queues a frame.
  Result<void> send(wire::FrameType type, std::string_view payload);

  // The header that we send.
  wire::Header header() const;
  net::Outbox& outbox() { return outbox_; }

 private:
  Task<void> read_more();
  Result<void> after_silence(Deadline now);
  Deadline next_deadline() const;
  Task<void> handle(Listener& listener, const wire::Frame& frame);
  Result<void> handle_control(const wire::Frame& frame);

  net::Stream& stream_;
  const FrameSettings settings_;
  wire::FrameDecoder decoder_;
  net::Outbox outbox_;
  net::InputBuffer input_;
  std::size_t read_step_ = net::InputBuffer::kBlock;
  Deadline last_received_;      // When the last bytes arrived.
  Deadline in_frame_{};         // When the first bytes of the current frame arrived.
  Deadline asked_{};            // When we sent a PING...
  bool awaiting_pong_ = false;  // ...and nothing has arrived since.
  bool echo_due_ = false;  // We sent a PING with a header that does not distinguish PING and PONG.
  Deadline deadline_ = kNever;
  bool peer_compresses_ = false;
  std::optional<std::string> closed_;
};

}  // namespace patchbay::transport
