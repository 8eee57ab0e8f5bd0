#include "net/io/source.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace patchbay::net {
namespace {

Error fault(const char* what) {
  return {Code::unavailable, fmt::format("{}: {}", what, std::strerror(errno))};
}

mode_t kind_of(int fd) {
  struct stat about{};
  return ::fstat(fd, &about) == 0 ? about.st_mode : 0;
}

constexpr auto kPollInterval = std::chrono::milliseconds(100);

}  // namespace

std::span<iovec> drop_written(std::span<iovec> parts, std::size_t written) {
  while (!parts.empty() && written >= parts.front().iov_len) {
    written -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (written > 0) {
    parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + written;
    parts.front().iov_len -= written;
  }
  return parts;
}

// Replaces the events of a source that the kernel does not watch.
class Source::Poll final : public Timer {
 public:
  explicit Poll(Source& source) : source_(source) {}

 private:
  void on_deadline() override { source_.on_events(EPOLLIN | EPOLLOUT); }

  Source& source_;
};

Source::Source(Fd fd)
    : loop_(static_cast<Loop&>(here())), fd_(std::move(fd)), socket_(S_ISSOCK(kind_of(fd_.get()))) {
  const int refused = loop_.add(*this, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  if (refused == 0) return;
  // epoll does not watch files, and a file at its end produces no event.
  hung_up_ = refused != EPERM || S_ISREG(kind_of(fd_.get()));
  if (refused == EPERM) return;
  refused_ = refused;
  poll_ = std::make_unique<Poll>(*this);
}

void Source::poll_soon() {
  if (!poll_->set()) here().timers().set(*poll_, here().now() + kPollInterval);
}

Error Source::not_watched() const {
  return {Code::unavailable,
          fmt::format("cannot watch the descriptor: {}", std::strerror(refused_))};
}

Source::~Source() { loop_.remove(*this); }

Result<std::size_t> Source::try_read(std::span<char> into) {
  if (refused_ != 0) return not_watched();
  if (!may_read_) return std::size_t{0};
  for (;;) {
    const ssize_t n = socket_ ? ::recv(fd_.get(), into.data(), into.size(), 0)
                              : ::read(fd_.get(), into.data(), into.size());
    if (n > 0) {
      // A short read has emptied the descriptor; the next bytes come with an event of their own.
      // Not so once the peer has hung up: that event has passed.
      if (static_cast<std::size_t>(n) < into.size() && !hung_up_) may_read_ = false;
      return static_cast<std::size_t>(n);
    }
    if (n == 0) {
      ended_ = true;
      return Error{Code::unavailable, "the peer closed the connection"};
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return fault("read");
    may_read_ = false;
    return std::size_t{0};
  }
}

Result<std::size_t> Source::try_write(std::span<const iovec> parts) {
  if (refused_ != 0) return not_watched();
  if (!may_write_) return std::size_t{0};
  for (;;) {
    const ssize_t n =
        socket_ && parts.size() == 1
            ? ::send(fd_.get(), parts.front().iov_base, parts.front().iov_len, MSG_NOSIGNAL)
            : ::writev(fd_.get(), parts.data(), static_cast<int>(parts.size()));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return fault("write");
    may_write_ = false;
    return std::size_t{0};
  }
}

void Source::forget(Waiter& waiter) {
  if (reader_ == &waiter) reader_ = nullptr;
  if (writer_ == &waiter) writer_ = nullptr;
}

void Source::watch_hangup(Hangup* hangup) {
  hangup_ = hangup;
  if (hangup_ && hung_up_) std::exchange(hangup_, nullptr)->on_hangup();
}

void Source::on_events(std::uint32_t events) {
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
    hung_up_ = true;
    may_read_ = may_write_ = true;  // The next attempt finds out what has happened.
  }
  if (events & EPOLLIN) may_read_ = true;
  if (events & EPOLLOUT) may_write_ = true;
  if (may_read_ && reader_) std::exchange(reader_, nullptr)->on_ready();
  if (may_write_ && writer_) std::exchange(writer_, nullptr)->on_ready();
  if (hung_up_ && hangup_) std::exchange(hangup_, nullptr)->on_hangup();
}

Task<std::size_t> Source::read_some(std::span<char> into, Deadline deadline) {
  for (;;) {
    auto got = try_read(into);
    if (!got || *got > 0) co_return got;
    auto waited = co_await ready(Direction::read, deadline);
    if (!waited) co_return waited.error();
  }
}

Task<void> Source::write_all(std::span<iovec> parts, std::chrono::nanoseconds timeout) {
  for (;;) {
    auto written = try_write(parts);
    if (!written) co_return written.error();
    parts = drop_written(parts, *written);
    if (parts.empty()) co_return ok();
    if (*written > 0 && may_write_) continue;
    auto waited = co_await ready(Direction::write, here().now() + timeout);
    if (!waited) co_return waited.error();
  }
}

Task<void> Source::write_all(std::string_view bytes, std::chrono::nanoseconds timeout) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  co_return co_await write_all(std::span(&part, 1), timeout);
}

}  // namespace patchbay::net
