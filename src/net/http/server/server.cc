#include "net/http/server/server.h"

#include <fmt/format.h>

#include "json/text.h"
#include "net/http/server/connection.h"
#include "net/io/address_share.h"
#include "net/io/socket.h"
#include "net/stream/proxy_header.h"

namespace patchbay::net {
namespace {

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    "Content-Length: 0\r\n\r\n";

std::string too_many(const Error& why) {
  const std::string body = fmt::format("{{\"error\":{}}}\n", json::quote(why.message));
  return fmt::format(
      "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 1\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      body.size(), body);
}

}  // namespace

HttpServer::HttpServer(const std::vector<HttpRoute>& routes,
                       std::shared_ptr<const HttpSettings> settings, HttpGuard& guard,
                       HttpCounters& counters)
    : routes_(routes),
      guard_(guard),
      counters_(counters),
      settings_(std::move(settings)),
      accepting_(counters.refused, [this](Fd fd, const PeerAddress& from, bool secure) {
        admit(std::move(fd), from, secure);
      }) {}

HttpServer::~HttpServer() = default;

void HttpServer::start(Fd listener, std::shared_ptr<const TlsContext> tls) {
  const bool secure = tls != nullptr;
  if (secure) tls_ = std::move(tls);
  accepting_.start(std::move(listener), secure);
}

void HttpServer::start_local(Fd listener) {
  local_ = true;
  start(std::move(listener));
}

void HttpServer::admit(Fd fd, const PeerAddress& from, bool secure) {
  const auto open = counters_.connections.fetch_add(1, std::memory_order_relaxed);
  if (static_cast<std::size_t>(open) >= settings_->connections) {
    counters_.connections.fetch_sub(1, std::memory_order_relaxed);
    counters_.refused->add();
    if (!secure) send_at_once(fd.get(), kFull);
    return;
  }
  const bool unnamed = has_proxy_header(secure) && !is_proxy(settings_->proxies, from);
  if (unnamed) log_unnamed_proxy(from);
  auto share = take_connection_share(from, settings_->proxies);
  if (unnamed || !share) {
    counters_.connections.fetch_sub(1, std::memory_order_relaxed);
    counters_.refused->add();
    if (!secure && !unnamed) send_at_once(fd.get(), too_many(share.error()));
    return;
  }
  set_no_delay(fd.get());
  set_small_send_queue(fd.get());
  notice_dead_peer(fd.get());
  connections_.spawn(hold_share(serve(std::move(fd), from, secure), *std::move(share)));
}

Task<void> HttpServer::serve(Fd fd, PeerAddress from, bool secure) {
  HttpConnection connection(std::move(fd), from, routes_, settings_, idle_, streams_, guard_,
                            counters_);
  Shares::Share share;
  auto served = has_proxy_header(secure) ? co_await learn_client(connection, secure, share) : ok();
  if (served && secure) served = co_await do_handshake(connection);
  if (served) served = co_await connection.run();
  counters_.connections.fetch_sub(1, std::memory_order_relaxed);
  co_return served;
}

// The connection counts for the client that the proxy names.
Task<void> HttpServer::learn_client(HttpConnection& connection, bool secure, Shares::Share& share) {
  auto read = co_await connection.read_proxy_header();
  if (!read) {
    counters_.refused->add();
    co_return read;
  }
  auto taken = take_connection_share(connection.peer().address, settings_->proxies);
  if (taken) {
    share = *std::move(taken);
    co_return ok();
  }
  counters_.refused->add();
  if (!secure) send_at_once(connection.fd(), too_many(taken.error()));
  co_return taken.error();
}

Task<void> HttpServer::do_handshake(HttpConnection& connection) {
  auto done = co_await handshakes_.run(connection.start_tls(tls_), settings_->handshakes, idle_);
  if (!done) counters_.add_failed_handshake(done.error(), connection.peer().address);
  co_return done;
}

Task<void> HttpServer::hand_over(Deadline deadline) {
  accepting_.close();
  streams_.request();
  co_return co_await connections_.drain(deadline);
}

void HttpServer::close() {
  accepting_.close();
  streams_.request();
  idle_.request();
}

Task<void> HttpServer::stop(Deadline deadline) {
  auto accepted = co_await accepting_.stop();
  if (!accepted) co_return accepted;
  co_return co_await connections_.finish(deadline);
}

}  // namespace patchbay::net
