// A Source is one non-blocking descriptor in a Loop: a socket, a pipe, anything epoll can watch.
// It is registered once, edge-triggered, for reading and writing; after that, a read or a write
// costs one system call and nothing else.
//
// Confined to the thread of its loop.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <span>
#include <string_view>

#include "async/one_shot.h"
#include "net/io/fd.h"
#include "net/io/loop.h"
#include "net/io/readiness.h"

namespace patchbay::net {

class Source {
 public:
  using Waiter = Readiness::Waiter;
  using Hangup = Readiness::Hangup;

  // Registers `fd`, which must be non-blocking, with the loop of this thread.
  explicit Source(Fd fd);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source();

  int fd() const { return fd_.get(); }

  // Reads or writes what is possible now. 0 means: not now, wait. The end of the stream and every
  // failure are Code::unavailable.
  Result<std::size_t> try_read(std::span<char> into);
  Result<std::size_t> try_write(std::span<const iovec> parts);

  void wait_readable(Waiter& waiter) {
    readiness_.wait_readable(waiter);
    if (poll_) poll_soon();
  }
  void wait_writable(Waiter& waiter) {
    readiness_.wait_writable(waiter);
    if (poll_) poll_soon();
  }
  void forget(Waiter& waiter) { readiness_.forget(waiter); }

  // At most one; null to remove it. Called at once if the peer has disconnected already.
  void watch_hangup(Hangup* hangup) { readiness_.watch_hangup(hangup); }

  // More may have arrived already.
  bool may_read() const { return readiness_.may_read(); }

  // A read has found the orderly end of the stream, not a failure.
  bool ended() const { return ended_; }

  // Reads at least one byte. Code::unavailable at the end of the stream.
  Task<std::size_t> read_some(std::span<char> into, Deadline deadline);

  // Writes everything. Each step forward must happen within `timeout`.
  Task<void> write_all(std::span<iovec> parts, std::chrono::nanoseconds timeout);
  Task<void> write_all(std::string_view bytes, std::chrono::nanoseconds timeout);

  enum class Direction { read, write, either };
  class [[nodiscard]] Ready;
  // Waits until the source may be ready in that direction.
  Ready ready(Direction direction, Deadline deadline);

 private:
  class Poll;

  void poll_soon();
  Error not_watched() const;

  Loop& loop_;
  const Fd fd_;
  const bool socket_;  // The calls for sockets alone cost less than those for any descriptor.
  // Why the kernel refused to watch the descriptor. Reading and writing fail; a waiter that has not
  // tried is woken from time to time, so that it tries and fails.
  int refused_ = 0;
  std::unique_ptr<Poll> poll_;
  Readiness readiness_;
  bool ended_ = false;
};

// Drops what has been written from the front of `parts`.
std::span<iovec> drop_written(std::span<iovec> parts, std::size_t written);

// The awaitable form of a Waiter.
class [[nodiscard]] Source::Ready final : Waiter, Stop::Hook, Timer {
 public:
  Ready(Source& source, Direction direction, Deadline deadline)
      : source_(source), direction_(direction), deadline_(deadline) {}

  bool await_ready() const noexcept { return false; }

  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    if (Stop* const stop = self.promise().stop) {
      if (stop->requested()) {
        result_ = Error{Code::cancelled, "cancelled"};
        return false;
      }
      link(*stop);
    }
    if (source_.refused_ != 0) {
      unlink();
      result_ = source_.not_watched();
      return false;
    }
    if (deadline_ != kNever) here().timers().set(*this, deadline_);
    task_ = self;
    if (direction_ != Direction::write) source_.wait_readable(*this);
    if (direction_ != Direction::read) source_.wait_writable(*this);
    return true;
  }

  Result<void> await_resume() { return std::move(result_); }

 private:
  void on_ready() override { end(ok()); }
  void on_stop() override { end(Error{Code::cancelled, "cancelled"}); }
  void on_deadline() override { end(Error{Code::timeout, "the peer was too slow"}); }

  void end(Result<void> result) {
    source_.forget(*this);
    unlink();
    drop();
    result_ = std::move(result);
    here().resume_soon(task_);
  }

  Source& source_;
  const Direction direction_;
  const Deadline deadline_;
  std::coroutine_handle<> task_;
  Result<void> result_ = ok();
};

inline Source::Ready Source::ready(Direction direction, Deadline deadline) {
  return Ready(*this, direction, deadline);
}

}  // namespace patchbay::net
