#include "net/stream.h"

#include <fmt/format.h>

#include "net/socket.h"

namespace patchbay::net {

class TlsSession {};

Stream::Stream(Fd fd) : source_(std::move(fd)) {}
Stream::~Stream() = default;

Task<std::size_t> Stream::read_some(std::span<char> into, Deadline deadline) {
  return source_.read_some(into, deadline);
}

Task<void> Stream::write_all(std::span<iovec> parts, std::chrono::nanoseconds patience) {
  return source_.write_all(parts, patience);
}

Task<void> Stream::write_all(std::string_view bytes, std::chrono::nanoseconds patience) {
  return source_.write_all(bytes, patience);
}

Result<std::size_t> Stream::read_tls(std::span<char> into) { return source_.try_read(into); }
Result<std::size_t> Stream::write_tls(std::span<const iovec> parts) {
  return source_.try_write(parts);
}
bool Stream::holds_more() const { return false; }
bool Stream::ended_tls() const { return source_.ended(); }

Task<std::unique_ptr<Stream>> connect_stream(const Url& url, std::shared_ptr<const TlsContext> tls,
                                             Deadline deadline) {
  if (url.tls) co_return Error{Code::invalid_params, "https is not there yet"};
  auto fd = co_await connect_tcp(url.host, url.port, deadline);
  if (!fd) co_return fd.error();
  notice_dead_peer(fd->get());
  co_return std::make_unique<Stream>(*std::move(fd));
}

}  // namespace patchbay::net
