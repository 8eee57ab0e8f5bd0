// An HttpServer accepts connections on one worker, reads requests strictly and hands each to the
// handler of its path. One request at a time per connection; pipelined ones wait their turn.
//
// Confined to its worker, except the shared counters.
#pragma once

#include <memory>
#include <vector>

#include "async/scope.h"
#include "core/shares.h"
#include "net/http/server/counters.h"
#include "net/http/server/exchange.h"
#include "net/http/server/guard.h"
#include "net/http/server/routes.h"
#include "net/http/server/settings.h"
#include "net/io/listener.h"
#include "net/io/source.h"

namespace patchbay::net {

class HttpConnection;

class HttpServer {
 public:
  // REQUIRES: handlers, guard and counters outlive the server; settings are replaced by update().
  HttpServer(const std::vector<HttpRoute>& routes, std::shared_ptr<const HttpSettings> settings,
             HttpGuard& guard, HttpCounters& counters);
  ~HttpServer();

  // Takes a listening socket and accepts in the background. With a context: TLS.
  void start(Fd listener, std::shared_ptr<const TlsContext> tls = nullptr);

  // The listener is for browsers on this machine, whatever the settings require of connections.
  void start_local(Fd listener);

  // Later handshakes use `tls`. Open connections are not affected.
  void update_tls(std::shared_ptr<const TlsContext> tls) { tls_ = std::move(tls); }

  const HttpRoutes& routes() const { return routes_; }

  void update(std::shared_ptr<const HttpSettings> settings) { settings_ = std::move(settings); }

  // Others will serve the clients: open streams end, and each connection after its next response.
  void announce_stop() { streams_.request(); }

  // Another process accepts from now on. Open streams end, and each connection after its next
  // response, so that no request is lost. Waits for that until `deadline`.
  Task<void> hand_over(Deadline deadline);

  // Stops accepting; idle connections and open streams end.
  void close();

  // Waits for requests in progress until `deadline`, then cancels them.
  Task<void> stop(Deadline deadline);

 private:
  void admit(Fd fd, const PeerAddress& from, bool secure);
  Task<void> serve(Fd fd, PeerAddress from, bool secure);
  bool has_proxy_header(bool secure) const {
    return secure ? settings_->tls_proxy_protocol : settings_->proxy_protocol && !local_;
  }
  Task<void> learn_client(HttpConnection& connection, bool secure, Shares::Share& share);
  Task<void> do_handshake(HttpConnection& connection);

  const HttpRoutes routes_;
  HttpGuard& guard_;
  HttpCounters& counters_;
  std::shared_ptr<const HttpSettings> settings_;
  Accepting accepting_;
  std::shared_ptr<const TlsContext> tls_;
  bool local_ = false;  // See start_local().
  Handshakes handshakes_;
  Stop idle_;     // Observed by connections that wait for a request.
  Stop streams_;  // Observed by streams, which end before idle connections do.
  Scope connections_;
};

}  // namespace patchbay::net
