#include "net/stream/stream.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "net/io/socket.h"
#include "net/tls/session.h"

namespace patchbay::net {
namespace {

Task<std::size_t> read_secure(Stream& stream, std::span<char> into, Deadline deadline) {
  for (;;) {
    auto got = stream.try_read(into);
    if (!got || *got > 0) co_return got;
    auto waited = co_await stream.ready(Source::Direction::read, deadline);
    if (!waited) co_return waited.error();
  }
}

Task<void> write_secure(Stream& stream, std::span<iovec> parts, std::chrono::nanoseconds timeout) {
  for (;;) {
    auto written = stream.try_write(parts);
    if (!written) co_return written.error();
    parts = drop_written(parts, *written);
    if (parts.empty()) co_return ok();
    if (*written > 0) continue;
    auto waited = co_await stream.ready(Source::Direction::write, here().now() + timeout);
    if (!waited) co_return waited.error();
  }
}

}  // namespace

Stream::Stream(Fd fd) : source_(std::move(fd)) {}
Stream::~Stream() = default;

Task<void> Stream::start_tls(std::shared_ptr<const TlsContext> context, const std::string& host,
                             Deadline deadline) {
  tls_ = std::make_unique<TlsSession>(std::move(context), source_, host);
  co_return co_await tls_->do_handshake(deadline);
}

std::unique_ptr<const TlsPeer> Stream::peer() const { return tls_ ? tls_->peer() : nullptr; }

bool Stream::resumed_tls() const { return tls_->resumed(); }

Task<char> Stream::first_byte(Deadline deadline) {
  for (;;) {
    char byte = 0;
    const auto got = ::recv(fd(), &byte, 1, MSG_PEEK);
    if (got == 1) co_return byte;
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN) {
      co_return Error{Code::unavailable, "the peer closed the connection"};
    }
    auto waited = co_await ready(Source::Direction::read, deadline);
    if (!waited) co_return waited.error();
  }
}

void Stream::end_sending() {
  if (tls_) tls_->end();
  ::shutdown(fd(), SHUT_WR);
}

Task<std::size_t> Stream::read_some(std::span<char> into, Deadline deadline) {
  return tls_ ? read_secure(*this, into, deadline) : source_.read_some(into, deadline);
}

Task<void> Stream::write_all(std::span<iovec> parts, std::chrono::nanoseconds timeout) {
  return tls_ ? write_secure(*this, parts, timeout) : source_.write_all(parts, timeout);
}

Task<void> Stream::write_all(std::string_view bytes, std::chrono::nanoseconds timeout) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  co_return co_await write_all(std::span(&part, 1), timeout);
}

Result<std::size_t> Stream::read_tls(std::span<char> into) { return tls_->try_read(into); }
Result<std::size_t> Stream::write_tls(std::span<const iovec> parts) {
  return tls_->try_write(parts);
}
bool Stream::holds_more() const { return tls_->holds_more(); }
bool Stream::ended_tls() const { return tls_->ended(); }

Task<std::unique_ptr<Stream>> connect_stream(const Url& url, std::shared_ptr<const TlsContext> tls,
                                             Deadline deadline, AddressRule rule) {
  // Never without TLS where the URL requires it.
  if (url.tls && !tls) co_return Error{Code::internal, "https without a TLS context"};
  auto fd = co_await connect_tcp(url.host, url.port, deadline, std::move(rule));
  if (!fd) co_return fd.error();
  notice_dead_peer(fd->get());
  auto stream = std::make_unique<Stream>(*std::move(fd));
  if (!url.tls) co_return stream;
  auto secured = co_await stream->start_tls(std::move(tls), url.host, deadline);
  if (secured) co_return stream;
  auto why = std::move(secured).error();
  why.message = fmt::format("cannot connect to {}: {}", url.authority(), why.message);
  co_return why;
}

}  // namespace patchbay::net
