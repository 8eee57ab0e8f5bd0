// A Stream is one connected byte stream, plain or with TLS. It has the operations of a Source and,
// if plain, costs no more than that.
//
// Confined to the thread of its loop.
#pragma once

#include <memory>
#include <string>

#include "net/http/syntax/url.h"
#include "net/io/address.h"
#include "net/io/source.h"
#include "net/tls/context.h"
#include "net/tls/peer.h"

namespace patchbay::net {

class TlsSession;

class Stream {
 public:
  // Registers `fd`, which must be non-blocking and connected, with the loop of this thread.
  explicit Stream(Fd fd);
  ~Stream();

  // Starts TLS on the stream: as the server if the context is one. A client verifies that the other
  // side is `host`, unless the context disables that. REQUIRES: nothing was read or written yet.
  Task<void> start_tls(std::shared_ptr<const TlsContext> context, const std::string& host,
                       Deadline deadline);
  bool secure() const { return tls_ != nullptr; }
  bool resumed_tls() const;

  // The verified identity of the other side; null if it has presented no certificate.
  std::unique_ptr<const TlsPeer> peer() const;

  int fd() const { return source_.fd(); }

  // The first byte that arrives, without consuming it. REQUIRES: nothing was read yet.
  Task<char> first_byte(Deadline deadline);

  // Reads or writes as much as is possible now. 0 means: not now, wait. The end of the stream and
  // every failure are Code::unavailable. Unwritten data must be offered again, unchanged; it may
  // have moved, and more may follow it.
  Result<std::size_t> try_read(std::span<char> into) {
    return tls_ ? read_tls(into) : source_.try_read(into);
  }
  Result<std::size_t> try_write(std::span<const iovec> parts) {
    return tls_ ? write_tls(parts) : source_.try_write(parts);
  }

  void wait_readable(Source::Waiter& waiter) { source_.wait_readable(waiter); }
  void wait_writable(Source::Waiter& waiter) { source_.wait_writable(waiter); }
  void forget(Source::Waiter& waiter) { source_.forget(waiter); }

  // At most one; null to remove it. Called at once if the peer has disconnected already.
  void watch_hangup(Source::Hangup* hangup) { source_.watch_hangup(hangup); }

  // More may have arrived already.
  bool may_read() const { return source_.may_read() || (tls_ && holds_more()); }

  // A read has found the orderly end of the stream, not a failure: nothing was truncated.
  bool ended() const { return tls_ ? ended_tls() : source_.ended(); }

  // Reads at least one byte. Code::unavailable at the end of the stream.
  Task<std::size_t> read_some(std::span<char> into, Deadline deadline);

  // Writes everything. Each step forward must happen within `timeout`.
  Task<void> write_all(std::span<iovec> parts, std::chrono::nanoseconds timeout);
  Task<void> write_all(std::string_view bytes, std::chrono::nanoseconds timeout);

  // Ends our side. Input can still be read.
  void end_sending();

  // Waits until the stream may be ready in that direction. REQUIRES: the last attempt yielded 0.
  Source::Ready ready(Source::Direction direction, Deadline deadline) {
    return source_.ready(direction, deadline);
  }

 private:
  Result<std::size_t> read_tls(std::span<char> into);
  Result<std::size_t> write_tls(std::span<const iovec> parts);
  bool holds_more() const;
  bool ended_tls() const;

  Source source_;
  std::unique_ptr<TlsSession> tls_;  // Null: plain.
};

// Connects to the server of `url`, with TLS for https; `tls` may be null for http.
Task<std::unique_ptr<Stream>> connect_stream(const Url& url, std::shared_ptr<const TlsContext> tls,
                                             Deadline deadline, AddressRule rule = {});

}  // namespace patchbay::net
