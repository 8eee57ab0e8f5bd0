#include "net/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "json/text.h"
#include "net/http_connection.h"
#include "net/socket.h"

namespace patchbay::net {
namespace {

using std::chrono::milliseconds;

constexpr auto kAcceptPause = milliseconds(100);  // After running out of descriptors.
constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    "Content-Length: 0\r\n\r\n";

Fd reserve_descriptor() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

HttpCounters::HttpCounters(metrics::Registry& registry)
    : refused(
          registry.counter("patchbay_http_refused_total", "Connections refused for lack of room.")),
      requests(registry.counter("patchbay_http_requests_total", "HTTP requests read.")),
      malformed(registry.counter("patchbay_http_malformed_total",
                                 "HTTP requests refused as malformed.")) {
  registry.watch_gauge("patchbay_connections", "Connections that are open.",
                       [this] { return connections.load(); });
}

HttpServer::HttpServer(const std::vector<HttpRoute>& routes,
                       std::shared_ptr<const HttpSettings> settings, HttpGuard& guard,
                       HttpCounters& counters)
    : routes_(routes),
      guard_(guard),
      counters_(counters),
      settings_(std::move(settings)),
      reserve_(reserve_descriptor()) {}

HttpServer::~HttpServer() = default;

void HttpServer::start(Fd listener) {
  listener_.emplace(std::move(listener));
  accepting_.spawn(accept());
}

Task<void> HttpServer::accept() {
  for (;;) {
    const int fd = ::accept4(listener_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      admit(fd);
      continue;
    }
    if (errno == EAGAIN) {
      auto ready = co_await listener_->ready(Source::Direction::read, kNever);
      if (!ready) co_return ready.error();
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // Take one connection off the queue with the reserved descriptor and close it, so that the
      // client hears at once; then let some calls finish.
      reserve_.reset();
      Fd(::accept4(listener_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)).reset();
      reserve_ = reserve_descriptor();
      counters_.refused->add();
      auto slept = co_await sleep_until(here().now() + kAcceptPause);
      if (!slept) co_return slept.error();
    }
    // Everything else (a connection that broke while it waited, a signal) concerns one client.
  }
}

void HttpServer::admit(int raw) {
  Fd fd(raw);
  const auto open = counters_.connections.fetch_add(1, std::memory_order_relaxed);
  if (static_cast<std::size_t>(open) >= settings_->connections) {
    counters_.connections.fetch_sub(1, std::memory_order_relaxed);
    counters_.refused->add();
    [[maybe_unused]] const auto told = ::send(fd.get(), kFull.data(), kFull.size(), MSG_NOSIGNAL);
    return;
  }
  set_no_delay(fd.get());
  notice_dead_peer(fd.get());
  connections_.spawn(serve(std::move(fd)));
}

Task<void> HttpServer::serve(Fd fd) {
  HttpConnection connection(std::move(fd), routes_, settings_, quiet_, guard_, counters_);
  auto served = co_await connection.run();
  counters_.connections.fetch_sub(1, std::memory_order_relaxed);
  co_return served;
}

void HttpServer::close() {
  accepting_.cancel();
  quiet_.request();
}

Task<void> HttpServer::stop(Deadline deadline) {
  auto accepted = co_await accepting_.drain(kNever);
  if (!accepted) co_return accepted;
  listener_.reset();
  auto drained = co_await connections_.drain(deadline);
  if (drained) co_return ok();
  connections_.cancel();
  co_return co_await connections_.drain(kNever);
}

}  // namespace patchbay::net
