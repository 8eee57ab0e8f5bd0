#include "net/io/listener.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

namespace patchbay::net {
namespace {

// Limits how much new connections delay those that are being served.
constexpr int kAcceptsPerTurn = 8;

// Whether the awaiting task was requested to stop. Does not wait.
struct StopRequested {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    requested = self.promise().stop && self.promise().stop->requested();
    return false;
  }
  bool await_resume() const noexcept { return requested; }

  bool requested = false;
};

Fd reserve_descriptor() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

Accepting::Accepting(std::shared_ptr<metrics::Counter> refused, Admit admit)
    : refused_(std::move(refused)), admit_(std::move(admit)), reserve_(reserve_descriptor()) {}

void Accepting::start(Fd listener, bool secure) {
  scope_.spawn(accept(listeners_.emplace_back(std::move(listener)), secure));
}

Task<void> Accepting::accept(Source& listener, bool secure) {
  for (int accepted = 0;;) {
    sockaddr_storage from;
    socklen_t size = sizeof from;
    const int fd = ::accept4(listener.fd(), reinterpret_cast<sockaddr*>(&from), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      admit_(Fd(fd), PeerAddress::of(from), secure);
      if (++accepted % kAcceptsPerTurn != 0) continue;
      co_await next_turn();
      StopRequested stop;
      if (co_await stop) co_return Error{Code::cancelled, "cancelled"};
      continue;
    }
    if (errno == EAGAIN) {
      auto ready = co_await listener.ready(Source::Direction::read, kNever);
      if (!ready) co_return ready.error();
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // Take one connection off the queue with the reserved descriptor and close it, so that the
      // client notices at once; then let some calls finish.
      reserve_.reset();
      Fd(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)).reset();
      reserve_ = reserve_descriptor();
      refused_->add();
      auto slept = co_await sleep_until(here().now() + kAcceptPause);
      if (!slept) co_return slept.error();
    }
    // All other errors (a connection that broke while it waited, a signal) concern one client.
  }
}

Task<void> Accepting::stop() {
  auto accepted = co_await scope_.drain(kNever);
  if (accepted) listeners_.clear();
  co_return accepted;
}

Task<void> Handshakes::run(Task<void> shaking, std::size_t most, Stop& idle) {
  if (running_.size() >= most) {
    Stop* const longest = running_.front();
    running_.pop_front();
    longest->request();
  }
  Stop stop;
  const StopLink at_the_end(&idle, stop);
  running_.push_back(&stop);
  auto done = co_await shaking.with_stop(stop);
  running_.remove(&stop);
  co_return done;
}

}  // namespace patchbay::net
