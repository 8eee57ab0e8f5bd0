// A FrameOutbox is the bounded queue of frames in front of a connection. Frames leave in the order
// in which they came, but for urgent ones (PING, PONG, CLOSE), which wait only for what is on its
// way already. What is put in during a turn leaves in one write at its end.
//
// Confined to the thread of its stream.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "net/stream.h"

namespace patchbay::transport {

class FrameOutbox final : Executor::TurnEnd, net::Source::Waiter {
 public:
  // `most` is what may wait. REQUIRES: `stream` outlives the outbox.
  FrameOutbox(net::Stream& stream, std::size_t most) : stream_(stream), most_(most) {}
  ~FrameOutbox() { stream_.forget(*this); }

  // Queues a frame in two parts. Code::overloaded if it does not fit (and is not queued),
  // Code::unavailable once the peer has gone. One frame always fits into an empty outbox.
  Result<void> put(std::string_view header, std::string_view payload);

  // Queues a frame in front of all others.
  Result<void> put_urgent(std::string_view frame);

  // Waits until all is written; each step must come within `patience`. REQUIRES: nothing else
  // waits.
  Task<void> drained(std::chrono::nanoseconds patience);

  bool empty() const { return size() == 0; }
  std::size_t size() const { return writing_.size() - written_ + waiting_size_ + urgent_.size(); }
  bool broken() const { return broken_; }

  // Told when the peer is found to be gone.
  void on_broken(std::move_only_function<void()> tell) { tell_broken_ = std::move(tell); }

 private:
  void on_turn_end() override { flush(); }
  void on_ready() override { flush(); }
  void flush();
  void take_next();
  void progressed();

  net::Stream& stream_;
  const std::size_t most_;
  // What is being written: whole frames. It stays as it is until all of it has left, since under
  // TLS what was offered once must be offered again.
  std::string writing_;
  std::size_t written_ = 0;
  std::string urgent_;
  std::deque<std::string> waiting_;  // Blocks of whole frames.
  std::size_t waiting_size_ = 0;
  bool broken_ = false;
  OneShot<void>* progress_ = nullptr;
  std::move_only_function<void()> tell_broken_;
};

}  // namespace patchbay::transport
