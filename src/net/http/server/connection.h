// An HttpConnection reads requests from one client, one after the other, and has the handler of the
// path answer each. Anything ambiguous is answered with 400 and the connection closed.
//
// Confined to its worker; exists inside the task that serves it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/http/server/connection_exchange.h"
#include "net/http/server/counters.h"
#include "net/http/server/guard.h"
#include "net/http/server/routes.h"
#include "net/http/server/settings.h"
#include "net/io/input_buffer.h"

namespace patchbay::net {

class HttpConnection {
 public:
  // REQUIRES: everything referred to outlives the connection. The settings are those that were
  // current when the connection was accepted.
  HttpConnection(Fd fd, const PeerAddress& from, const HttpRoutes& routes,
                 std::shared_ptr<const HttpSettings> settings, Stop& idle, Stop& streams,
                 HttpGuard& guard, HttpCounters& counters)
      : stream_(std::move(fd)),
        peer_{from, from.ip_text(), from},
        routes_(routes),
        settings_(std::move(settings)),
        idle_(idle),
        streams_(streams),
        guard_(guard),
        counters_(counters) {}

  // Reads the header in which a named proxy states the client's address. REQUIRES: the settings
  // name proxies, and this one is among them.
  Task<void> read_proxy_header();

  // Starts TLS on the connection. A client that sends plain HTTP gets a 400 that explains it.
  Task<void> start_tls(std::shared_ptr<const TlsContext> context);

  // Serves until the client disconnects, a limit is reached or the server stops.
  Task<void> run();

  const HttpPeer& peer() const { return peer_; }
  int fd() const { return stream_.fd(); }

 private:
  // Each yields false if the connection must be closed at once.
  Task<bool> await_request();
  Task<bool> read_head(HttpRequest& request);
  bool take_body(const HttpRequest& request, std::string_view& body);
  Task<bool> read_body(HttpRequest& request, std::string_view& body, std::string& storage);
  Task<bool> read_sized(HttpRequest& request, std::string& storage, Deadline deadline);
  Task<bool> read_chunked(HttpRequest& request, std::string& storage, Deadline deadline);
  Task<bool> serve(HttpRequest& request);
  void name_client(const PeerAddress& client);
  Task<bool> admit(ConnectionExchange& exchange, const HttpRoute* route);
  bool body_at_hand(const HttpRequest& request) const;
  Task<bool> leave_body(const ConnectionExchange& exchange);
  Task<bool> too_slow(HttpRequest& request, Error why, std::string message);
  Task<bool> too_little_memory(HttpRequest& request);
  void take_following();
  Task<void> refuse(HttpRequest& request, int status, std::string message);
  Task<void> linger();

  Stream stream_;
  HttpPeer peer_;
  bool names_client_ = true;  // False: a PROXY protocol header names nobody.
  const HttpRoutes& routes_;
  const std::shared_ptr<const HttpSettings> settings_;
  Stop& idle_;     // See HttpServer.
  Stop& streams_;  // See HttpServer.
  HttpGuard& guard_;
  HttpCounters& counters_;
  InputBuffer input_;
  std::string following_;  // Bytes after a chunked body.
};

// True if `host` (with or without a port) names loopback or is on the list.
bool host_allowed(std::string_view host, const HttpSettings& settings);
// True if pages of `origin` may send requests to `host`, the Host of the request: the same host
// including the port, or on a list.
bool origin_allowed(std::string_view origin, std::string_view host, const HttpSettings& settings);
// True if the browser marks the request as cross-site and sends no Origin that could be on a list.
// Navigation by links is allowed from anywhere.
bool is_cross_site(const HttpRequest& request);

}  // namespace patchbay::net
