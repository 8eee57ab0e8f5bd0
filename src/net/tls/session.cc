#include "net/tls/session.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/discard.h"
#include "net/tls/bounds.h"
#include "net/tls/handshake_turns.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kRecord = 16 * 1024;          // The most that TLS puts into one record.
constexpr std::size_t kAtOnce = 4 * kRecord;        // Encrypted for one write, or a little more.
constexpr std::size_t kMostWaiting = 16 * kAtOnce;  // Only a misbehaving peer comes near it.
constexpr std::size_t kStored = 4 * 1024;           // Memory that an idle session may hold.

// Parts that are smaller than a record are joined here: two records would cost more than a copy.
thread_local std::array<char, kRecord> joined;

}  // namespace

const BIO_METHOD* TlsSession::bio_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "source");
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

int TlsSession::bio_read(BIO* bio, char* into, int size) {
  auto& self = *static_cast<TlsSession*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  auto got = self.source_.try_read(std::span(into, static_cast<std::size_t>(size)));
  if (!got) {
    self.source_fault_ = got.error().message;
    return self.source_.ended() ? 0 : -1;
  }
  self.silent_ += *got;
  if (self.silent_ > (self.open_ ? kMostSilentBytes : kMostHandshakeBytes)) {
    self.source_fault_ = "the peer sends too much that is not data";
    return -1;
  }
  if (*got > 0) return static_cast<int>(*got);
  BIO_set_retry_read(bio);
  return -1;
}

int TlsSession::bio_write(BIO* bio, const char* from, int size) {
  auto& self = *static_cast<TlsSession*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (self.out_.size() > kMostWaiting) {
    self.source_fault_ = "the peer requests more than it reads";
    return -1;
  }
  self.out_.append(from, static_cast<std::size_t>(size));
  return size;
}

long TlsSession::bio_control(BIO* bio, int command, long, void*) {
  const auto& self = *static_cast<TlsSession*>(BIO_get_data(bio));
  if (command == BIO_CTRL_EOF) return self.source_.ended();
  return command == BIO_CTRL_FLUSH;
}

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, Source& source,
                       const std::string& host)
    : context_(std::move(context)), source_(source), ssl_(SSL_new(context_->raw())) {
  BIO* const bio = BIO_new(bio_method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  if (context_->is_server()) {
    SSL_set_accept_state(ssl_);
  } else {
    SSL_set_connect_state(ssl_);
    expect(context_->server_name().empty() ? host : context_->server_name());
  }
}

TlsSession::~TlsSession() {
  end();
  SSL_free(ssl_);
}

void TlsSession::end() {
  if (!open_ || !out_.empty() || (SSL_get_shutdown(ssl_) & SSL_SENT_SHUTDOWN)) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  auto sent = flush();
  discard(sent, "the peer will also see the connection close");
}

std::unique_ptr<const TlsPeer> TlsSession::peer() const {
  const X509* const certificate = SSL_get0_peer_certificate(ssl_);
  if (!certificate || SSL_get_verify_result(ssl_) != X509_V_OK) return nullptr;
  return std::make_unique<const TlsPeer>(tls_peer(*certificate, context_->common_names()));
}

void TlsSession::expect(const std::string& host) {
  X509_VERIFY_PARAM* const checks = SSL_get0_param(ssl_);
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str()) == 1) return;
  X509_VERIFY_PARAM_set1_host(checks, host.c_str(), host.size());
  SSL_set_tlsext_host_name(ssl_, host.c_str());
}

Task<void> TlsSession::do_handshake(Deadline deadline) {
  for (;;) {
    auto turn = co_await HandshakeTurns::here().next(deadline);
    if (!turn) co_return turn;
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_);
    Result<void> outcome = ok();
    bool more = false;
    if (done != 1) {
      const int code = SSL_get_error(ssl_, done);
      more = code == SSL_ERROR_WANT_READ;
      if (!more) outcome = fault(code);
    }
    // Also after a failure, so that the peer learns the reason.
    for (;;) {
      auto flushed = flush();
      if (!flushed && outcome) outcome = flushed;
      if (!flushed || out_.empty()) break;
      auto ready = co_await source_.ready(Source::Direction::write, deadline);
      if (!ready) co_return ready;
    }
    if (!outcome) co_return outcome;
    open_ = !more;
    if (open_) co_return check_resumed();
    auto ready = co_await source_.ready(Source::Direction::read, deadline);
    if (!ready) co_return ready;
  }
}

// The certificate of a resumed session was valid when it was presented. It may have expired since.
Result<void> TlsSession::check_resumed() {
  const X509* const certificate = resumed() ? SSL_get0_peer_certificate(ssl_) : nullptr;
  if (!certificate || X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0) return ok();
  return Error{Code::unavailable, "the peer's certificate is not accepted: it has expired"};
}

bool TlsSession::resumed() const { return SSL_session_reused(ssl_) == 1; }

Result<std::size_t> TlsSession::try_read(std::span<char> into) {
  std::size_t filled = 0;
  // One record at a time, as long as more of them have arrived already.
  while (filled < into.size() && (filled == 0 || SSL_has_pending(ssl_))) {
    ERR_clear_error();
    std::size_t got = 0;
    const int good = SSL_read_ex(ssl_, into.data() + filled, into.size() - filled, &got);
    filled += got;
    if (got > 0) silent_ = 0;
    if (good == 1) continue;
    const int code = SSL_get_error(ssl_, good);
    if (code == SSL_ERROR_WANT_READ || filled > 0) break;
    ended_ = code == SSL_ERROR_ZERO_RETURN;
    return fail(code);
  }
  if (!out_.empty()) {
    auto flushed = flush();
    if (!flushed && filled == 0) return flushed.error();
  }
  return filled;
}

Result<std::size_t> TlsSession::try_write(std::span<const iovec> parts) {
  auto before = flush();
  if (!before) return before.error();
  if (!out_.empty()) return std::size_t{0};
  if (unreported_ > 0) return std::exchange(unreported_, 0);

  auto taken = encrypt_some(parts);
  if (!taken) return taken;
  auto flushed = flush();
  if (!flushed) return flushed.error();
  if (out_.empty()) return taken;
  // Not written as long as some of it is queued here: the writer must try again.
  unreported_ = *taken;
  return std::size_t{0};
}

// As much as fits into one write. Returns how much of the parts that was.
Result<std::size_t> TlsSession::encrypt_some(std::span<const iovec> parts) {
  std::size_t taken = 0;
  std::size_t waiting = 0;  // In `joined`.
  Result<void> good = ok();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view part(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
    while (good && !part.empty() && taken < kAtOnce) {
      const auto size = std::min(part.size(), kRecord - waiting);
      const auto piece = part.substr(0, size);
      part.remove_prefix(size);
      taken += size;
      if (waiting == 0 && (size == kRecord || i + 1 == parts.size())) {
        good = encrypt(piece);
        continue;
      }
      std::memcpy(joined.data() + waiting, piece.data(), size);
      waiting += size;
      if (waiting == kRecord) {
        good = encrypt({joined.data(), kRecord});
        waiting = 0;
      }
    }
  }
  if (good && waiting > 0) good = encrypt({joined.data(), waiting});
  if (!good) return good.error();
  return taken;
}

Result<void> TlsSession::encrypt(std::string_view bytes) {
  ERR_clear_error();
  std::size_t written = 0;
  const int good = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written);
  if (good != 1) return fail(SSL_get_error(ssl_, good));
  return ok();
}

Result<void> TlsSession::flush() {
  if (out_.empty()) return ok();
  const iovec part{out_.data() + flushed_, out_.size() - flushed_};
  auto written = source_.try_write(std::span(&part, 1));
  if (!written) {
    open_ = false;
    return written.error();
  }
  flushed_ += *written;
  if (flushed_ < out_.size()) return ok();
  flushed_ = 0;
  out_.clear();
  if (out_.capacity() > kStored) out_.shrink_to_fit();
  return ok();
}

bool TlsSession::holds_more() const { return SSL_has_pending(ssl_) == 1; }

// The alert with the reason is sent now, because the caller closes the connection.
Error TlsSession::fail(int code) {
  Error why = fault(code);
  auto sent = flush();
  discard(sent, "the peer will also see the connection close");
  return why;
}

// Describes the failure. REQUIRES: called directly after the failure.
Error TlsSession::fault(int code) {
  const bool shaking = SSL_in_init(ssl_) == 1;
  if (code == SSL_ERROR_ZERO_RETURN) {
    return {Code::unavailable, "the peer closed the connection"};
  }
  open_ = false;
  if (const long verdict = SSL_get_verify_result(ssl_);
      shaking && context_->verify() && verdict != X509_V_OK) {
    return {Code::unavailable, fmt::format("the peer's certificate is not accepted: {}",
                                           X509_verify_cert_error_string(verdict))};
  }
  if (!source_fault_.empty()) return {Code::unavailable, "TLS: " + source_fault_};
  const char* const reason = ERR_reason_error_string(ERR_peek_error());
  return {Code::unavailable, fmt::format("TLS: {}", reason ? reason : "failed")};
}

}  // namespace patchbay::net
