// An Outbox is the bounded queue in front of a descriptor that many write to: a child's stdin, an
// event stream, a WebSocket. What is queued during a turn is sent in one write at the end of the
// turn; data that the peer does not accept waits here, up to the bound.
//
// Confined to the thread of its stream.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "net/stream/stream.h"

namespace patchbay::net {

class Outbox final : Executor::TurnEnd, Source::Waiter {
 public:
  // Memory retained for the next messages once the queue is empty.
  static constexpr std::size_t kKeep = 64 * 1024;

  // REQUIRES: `stream` outlives the outbox.
  Outbox(Stream& stream, std::size_t most, std::size_t keep = kKeep)
      : stream_(stream), most_(most), keep_(keep) {}
  ~Outbox() { stream_.forget(*this); }

  // Queues the parts as one piece. Code::overloaded if they do not fit (and nothing is queued),
  // Code::unavailable once the peer has disconnected. One piece always fits into an empty outbox.
  Result<void> put(std::initializer_list<std::string_view> parts);

  // Queues data that the peer has requested, beyond the bound if necessary: only the memory limit
  // refuses it (Code::overloaded). The sender should not begin more work for this peer before
  // room().
  Result<void> put_answer(std::initializer_list<std::string_view> parts);

  // The same as put() in two steps, for several pieces that belong together.
  Result<void> check_room(std::size_t size) const;
  void add(std::initializer_list<std::string_view> parts);

  // Queues a small piece before all pieces whose sending has not started.
  Result<void> put_first(std::initializer_list<std::string_view> parts);

  // Waits until everything is written; each step must happen within `timeout`. Fails if the peer
  // has disconnected.
  Task<void> drained(std::chrono::nanoseconds timeout);

  // Waits in the same way until no more than the bound is queued.
  Task<void> room(std::chrono::nanoseconds timeout);
  bool over_bound() const { return size() > most_; }

  // Data is queued and the peer has accepted nothing for `timeout`.
  bool stalled(std::chrono::nanoseconds timeout) const {
    return !empty() && here().now() - moved_ >= timeout;
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const {
    return leaving_.size() - left_ + first_.size() + waiting_.size() - taken_;
  }

  // Called when the peer is found to be disconnected.
  void on_broken(std::move_only_function<void()> notify) { notify_broken_ = std::move(notify); }

  // Called when some bytes have been sent. Must not destroy the outbox.
  void on_progress(std::move_only_function<void()> notify) { notify_progress_ = std::move(notify); }

 private:
  void on_turn_end() override { flush(); }
  void on_ready() override { flush(); }
  void flush();
  void load();
  void progressed();
  Task<void> wait_at_most(std::size_t left, std::chrono::nanoseconds timeout);

  Stream& stream_;
  const std::size_t most_;
  const std::size_t keep_;
  // The data that has been offered to the stream and must be offered again unchanged until it is
  // accepted; the pieces put first; everything else, up to taken_ moved on.
  std::string leaving_;
  std::size_t left_ = 0;  // How much of the front of leaving_ has been sent.
  std::string first_;
  std::string waiting_;
  std::size_t taken_ = 0;
  // The ends of pieces in waiting_, about every kStride bytes: no more is offered at a time.
  std::vector<std::size_t> ends_;
  bool broken_ = false;
  Deadline moved_{};  // When the queue was last empty, or became shorter.
  std::vector<OneShot<void>*> progress_;
  std::move_only_function<void()> notify_broken_;
  std::move_only_function<void()> notify_progress_;
};

}  // namespace patchbay::net
