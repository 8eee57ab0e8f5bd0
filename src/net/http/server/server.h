// An HttpServer accepts connections on one worker, reads requests strictly and hands each to the
// handler of its path. One request at a time per connection; pipelined ones wait their turn.
//
// Confined to its worker, except the shared counters.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "net/http/server/exchange.h"
#include "net/http/server/guard.h"
#include "net/http/server/routes.h"
#include "net/http/syntax/cors.h"
#include "net/http/syntax/parse.h"
#include "net/io/listener.h"
#include "net/io/source.h"
#include "observe/metrics.h"

namespace patchbay::net {

struct HttpSettings {
  HttpLimits head;
  std::size_t body = 16 << 20;
  std::size_t connections = 10'000;     // Of the whole process.
  std::size_t stream_buffer = 1 << 20;  // What one slow reader of an event stream may cost.
  std::chrono::nanoseconds header_time = std::chrono::seconds(10);
  std::chrono::nanoseconds body_time = std::chrono::seconds(30);
  std::chrono::nanoseconds idle_time = std::chrono::seconds(75);
  std::chrono::nanoseconds write_time = std::chrono::seconds(30);
  std::chrono::nanoseconds handshake_time = std::chrono::seconds(5);
  std::size_t handshakes = 256;      // In progress on this worker.
  std::vector<std::string> hosts;    // Allowed in Host and Origin beside loopback names.
  std::vector<std::string> origins;  // Allowed origins beside those of allowed hosts.
  CorsSettings cors;
};

// Counted over all workers.
struct HttpCounters {
  explicit HttpCounters(metrics::Registry& registry);

  std::atomic<std::int64_t> connections{0};  // Open now.
  std::shared_ptr<metrics::Counter> refused;
  std::shared_ptr<metrics::Counter> requests;
  std::shared_ptr<metrics::Counter> malformed;    // Answered 4xx by the server itself.
  std::shared_ptr<metrics::Counter> tls_full;     // Handshakes with certificates,
  std::shared_ptr<metrics::Counter> tls_resumed;  // with a ticket,
  std::shared_ptr<metrics::Counter> tls_failed;   // refused or broken off,
  std::shared_ptr<metrics::Counter> tls_slow;     // and cut off.
};

class HttpConnection;

class HttpServer {
 public:
  // REQUIRES: handlers, guard and counters outlive the server; settings are replaced by update().
  HttpServer(const std::vector<HttpRoute>& routes, std::shared_ptr<const HttpSettings> settings,
             HttpGuard& guard, HttpCounters& counters);
  ~HttpServer();

  // Takes a listening socket and accepts in the background. With a context: TLS.
  void start(Fd listener, std::shared_ptr<const TlsContext> tls = nullptr);

  // Later handshakes use `tls`. Open connections are not affected.
  void update_tls(std::shared_ptr<const TlsContext> tls) { tls_ = std::move(tls); }

  void update(std::shared_ptr<const HttpSettings> settings) { settings_ = std::move(settings); }

  // Stops accepting; idle connections and open streams end.
  void close();

  // Waits for requests in progress until `deadline`, then cancels them.
  Task<void> stop(Deadline deadline);

 private:
  void admit(Fd fd, const PeerAddress& from, bool secure);
  Task<void> serve(Fd fd, PeerAddress from, bool secure);
  Task<void> shake_hands(HttpConnection& connection);

  const HttpRoutes routes_;
  HttpGuard& guard_;
  HttpCounters& counters_;
  std::shared_ptr<const HttpSettings> settings_;
  Accepting accepting_;
  std::shared_ptr<const TlsContext> tls_;
  Handshakes handshakes_;
  Stop idle_;  // Observed by what waits without a call: idle connections, streams.
  Scope connections_;
};

}  // namespace patchbay::net
