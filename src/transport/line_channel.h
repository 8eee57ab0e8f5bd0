// A LineChannel is a Channel over byte streams with one JSON message per line: stdio of a child or
// of ourselves, or a socket, plain or under TLS. Text before the end of the stream is a line even
// without a line feed.
//
// A line that does not end costs about the longest line in memory, not a multiple of it, and that
// memory is released. A peer that sends many lines gets its share of each turn.
//
// Confined to the worker that made it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/stream/outbox.h"
#include "net/stream/stream.h"
#include "transport/channel.h"

#include "async/liveness.h"

namespace patchbay::transport {

struct LineLimits {
  std::size_t line = 16 << 20;    // The longest message.
  std::size_t outbox = 16 << 20;  // Bytes that may be queued for a peer that does not read.
  // How long room() waits for a peer that reads nothing.
  std::chrono::nanoseconds write_timeout = std::chrono::seconds(30);
};

class LineChannel final : public Channel, net::Source::Waiter {
 public:
  // Takes both descriptors; they become non-blocking.
  LineChannel(net::Fd in, net::Fd out, const LineLimits& limits);
  // One stream for both directions.
  LineChannel(std::unique_ptr<net::Stream> both, const LineLimits& limits);
  ~LineChannel() override;

  void start(Listener& listener) override;
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  bool full() const override { return outbox_ && outbox_->over_bound(); }
  Task<void> room() override;
  void close_sending() override;
  void close() override;

  // Waits until everything has been sent.
  Task<void> flushed(std::chrono::nanoseconds timeout);

 private:
  void on_ready() override { read(); }
  void read();
  void read_soon();
  std::size_t make_room();
  bool deliver_lines(int& left);
  bool deliver(std::string_view line);
  void drop_used();
  void end_of_input();
  void fail(const std::string& why);
  void drop_out();

  const LineLimits limits_;
  Listener* listener_ = nullptr;
  const std::shared_ptr<net::Stream> in_;
  std::shared_ptr<net::Stream> out_;  // May be the same.
  std::optional<net::Outbox> outbox_;
  std::string buffer_;  // Bytes that have arrived; those before used_ are consumed.
  std::size_t used_ = 0;
  std::size_t searched_ = 0;  // There is no line feed between used_ and this offset.
  std::size_t read_step_ = 64 * 1024;
  bool closed_ = false;
  bool end_reported_ = false;  // The listener knows that nothing more will arrive.
  bool sending_ends_ = false;
  const Liveness liveness_;
};

}  // namespace patchbay::transport
