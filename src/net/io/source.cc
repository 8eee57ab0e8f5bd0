#include "net/io/source.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "net/io/system_failure.h"

namespace patchbay::net {
namespace {

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
  explicit Poll(Readiness& readiness) : readiness_(readiness) {}

 private:
  void on_deadline() override { readiness_.on_events(EPOLLIN | EPOLLOUT); }

  Readiness& readiness_;
};

Source::Source(Fd fd)
    : loop_(static_cast<Loop&>(here())), fd_(std::move(fd)), socket_(S_ISSOCK(kind_of(fd_.get()))) {
  const int refused = loop_.watch(fd_.get(), readiness_);
  if (refused == 0) return;
  // epoll does not watch files, and a file at its end produces no event.
  if (refused != EPERM || S_ISREG(kind_of(fd_.get()))) readiness_.set_hung_up();
  if (refused == EPERM) return;
  refused_ = refused;
  poll_ = std::make_unique<Poll>(readiness_);
}

void Source::poll_soon() {
  if (!poll_->set()) here().timers().set(*poll_, here().now() + kPollInterval);
}

Error Source::not_watched() const {
  return {Code::unavailable,
          fmt::format("cannot watch the descriptor: {}", std::strerror(refused_))};
}

Source::~Source() { loop_.unwatch(fd_.get(), readiness_); }

Result<std::size_t> Source::try_read(std::span<char> into) {
  if (refused_ != 0) return not_watched();
  if (!readiness_.may_read()) return std::size_t{0};
  for (;;) {
    const ssize_t n = socket_ ? ::recv(fd_.get(), into.data(), into.size(), 0)
                              : ::read(fd_.get(), into.data(), into.size());
    if (n > 0) {
      // A short read has emptied the descriptor; the next bytes come with an event of their own.
      // Not so once the peer has hung up: that event has passed.
      if (static_cast<std::size_t>(n) < into.size() && !readiness_.hung_up()) {
        readiness_.set_unreadable();
      }
      return static_cast<std::size_t>(n);
    }
    if (n == 0) {
      ended_ = true;
      return Error{Code::unavailable, "the peer closed the connection"};
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return system_failure("read");
    readiness_.set_unreadable();
    return std::size_t{0};
  }
}

Result<std::size_t> Source::try_write(std::span<const iovec> parts) {
  if (refused_ != 0) return not_watched();
  if (!readiness_.may_write()) return std::size_t{0};
  for (;;) {
    const ssize_t n =
        socket_ && parts.size() == 1
            ? ::send(fd_.get(), parts.front().iov_base, parts.front().iov_len, MSG_NOSIGNAL)
            : ::writev(fd_.get(), parts.data(), static_cast<int>(parts.size()));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return system_failure("write");
    readiness_.set_unwritable();
    return std::size_t{0};
  }
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
    if (*written > 0 && readiness_.may_write()) continue;
    auto waited = co_await ready(Direction::write, here().now() + timeout);
    if (!waited) co_return waited.error();
  }
}

Task<void> Source::write_all(std::string_view bytes, std::chrono::nanoseconds timeout) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  co_return co_await write_all(std::span(&part, 1), timeout);
}

}  // namespace patchbay::net
