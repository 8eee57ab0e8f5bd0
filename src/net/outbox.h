// An Outbox is the bounded queue in front of a descriptor that many write to: a child's stdin, an
// event stream. What is put in during a turn leaves in one write at the end of the turn; what the
// peer does not take waits here, up to the bound.
//
// Confined to the thread of its stream.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "net/stream.h"

namespace patchbay::net {

class Outbox final : Executor::TurnEnd, Source::Waiter {
 public:
  // REQUIRES: `stream` outlives the outbox.
  Outbox(Stream& stream, std::size_t most) : stream_(stream), most_(most) {}
  ~Outbox() { stream_.forget(*this); }

  // Queues the parts as one piece. Code::overloaded if they do not fit (and nothing is queued),
  // Code::unavailable once the peer has gone. One piece always fits into an empty outbox.
  Result<void> put(std::initializer_list<std::string_view> parts);

  // Waits until all is written; each step must come within `patience`. Fails if the peer has gone.
  // REQUIRES: nothing else waits.
  Task<void> drained(std::chrono::nanoseconds patience);

  bool empty() const { return waiting_.size() == sent_; }
  std::size_t size() const { return waiting_.size() - sent_; }

  // Told when the peer is found to be gone.
  void on_broken(std::move_only_function<void()> tell) { tell_broken_ = std::move(tell); }

 private:
  void on_turn_end() override { flush(); }
  void on_ready() override { flush(); }
  void flush();
  void progressed();

  Stream& stream_;
  const std::size_t most_;
  std::string waiting_;
  std::size_t sent_ = 0;  // How much of the front of waiting_ has left already.
  bool broken_ = false;
  OneShot<void>* progress_ = nullptr;
  std::move_only_function<void()> tell_broken_;
};

}  // namespace patchbay::net
