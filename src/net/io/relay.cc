#include "net/io/relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "async/scope.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kPiece = 32 * 1024;

// The reader has closed; only a local socket reports that.
bool has_gone(const Source& source) {
  pollfd state{source.fd(), 0, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

class Relay {
 public:
  explicit Relay(RelayTimeouts timeout)
      : idle_(timeout.idle), half_open_(std::min(timeout.idle, timeout.half_open)) {}

  Task<void> run(Source& first, Source& second, Relayed& moved) {
    pumps_.spawn(pump(first, second, moved.there));
    pumps_.spawn(pump(second, first, moved.back));
    auto done = co_await pumps_.drain(kNever);
    if (!done) {
      outcome_ = done;
      pumps_.cancel();
      auto rest = pumps_.drain(kNever);
      done = co_await rest.shielded();
    }
    co_return outcome_;
  }

 private:
  // Copies one direction to its end; then waits for the other.
  Task<void> pump(Source& from, Source& to, std::uint64_t& count) {
    auto ended = co_await move_all(from, to, count);
    if (!ended || ++ended_ == 2) {
      finish(ended);
      co_return ended;
    }
    ::shutdown(to.fd(), SHUT_WR);
    last_ = here().now();
    while (here().now() < last_ + half_open_) {
      auto slept = co_await sleep_until(last_ + half_open_);
      if (!slept) co_return slept;
    }
    finish(Error{Code::timeout, "the other side did not end"});
    co_return ok();
  }

  // Until the orderly end of `from`, or until `to` accepts no more: it may still send.
  Task<void> move_all(Source& from, Source& to, std::uint64_t& count) {
    std::string piece(kPiece, '\0');
    for (;;) {
      auto got = co_await from.read_some(piece, last_ + idle_);
      if (!got && got.error().code == Code::timeout && here().now() < last_ + idle_) continue;
      // The direction that ends second finishes the relay.
      const bool orderly = from.ended() && (ended_ > 0 || !has_gone(from));
      if (!got) co_return orderly ? ok() : Result<void>(got.error());
      last_ = here().now();
      auto written = co_await to.write_all(std::string_view(piece).substr(0, *got), idle_);
      if (!written && written.error().code == Code::unavailable) co_return ok();
      if (!written) co_return written;
      last_ = here().now();
      count += *got;
    }
  }

  // The first reason counts.
  void finish(Result<void> why) {
    if (std::exchange(finished_, true)) return;
    outcome_ = std::move(why);
    pumps_.cancel();
  }

  const std::chrono::nanoseconds idle_;
  const std::chrono::nanoseconds half_open_;
  Deadline last_ = here().now();  // When a byte last moved.
  int ended_ = 0;                 // Directions.
  bool finished_ = false;
  Result<void> outcome_ = ok();
  Scope pumps_;
};

}  // namespace

Task<void> relay(Source& first, Source& second, RelayTimeouts timeout, Relayed& moved) {
  Relay both(timeout);
  co_return co_await both.run(first, second, moved);
}

}  // namespace patchbay::net
