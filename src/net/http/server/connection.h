// An HttpConnection reads requests from one client, one after the other, and lets the handler of
// the path answer each. Anything ambiguous is answered 400 and the connection closed.
//
// Confined to its worker; lives inside the task that serves it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/http/server/server.h"
#include "net/io/input_buffer.h"

namespace patchbay::net {

class HttpConnection {
 public:
  // REQUIRES: everything referred to outlives the connection. The settings are those in force
  // when the connection was made.
  HttpConnection(Fd fd, const PeerAddress& from, const HttpRoutes& routes,
                 std::shared_ptr<const HttpSettings> settings, Stop& idle, HttpGuard& guard,
                 HttpCounters& counters)
      : stream_(std::move(fd)),
        peer_{from, from.ip_text()},
        routes_(routes),
        settings_(std::move(settings)),
        idle_(idle),
        guard_(guard),
        counters_(counters) {}

  // Puts TLS over the connection. One that speaks plain HTTP is told so.
  Task<void> start_tls(std::shared_ptr<const TlsContext> context);

  // Serves until the client leaves, a limit is hit or the server stops.
  Task<void> run();

  const HttpPeer& peer() const { return peer_; }

 private:
  // Each yields false when the connection is to be closed without more ado.
  Task<bool> await_request();
  Task<bool> read_head(HttpRequest& request);
  bool take_body(const HttpRequest& request, std::string_view& body);
  Task<bool> read_body(HttpRequest& request, std::string_view& body, std::string& storage);
  Task<bool> read_sized(HttpRequest& request, std::string& storage, Deadline deadline);
  Task<bool> read_chunked(HttpRequest& request, std::string& storage, Deadline deadline);
  Task<bool> serve(HttpRequest& request);
  Task<bool> admit(HttpExchange& exchange, const HttpRoute* route);
  bool body_at_hand(const HttpRequest& request) const;
  Task<bool> leave_body(const HttpExchange& exchange);
  Task<bool> too_slow(HttpRequest& request, Error why, std::string message);
  Task<bool> too_little_memory(HttpRequest& request);
  void take_following();
  Task<void> refuse(HttpRequest& request, int status, std::string message);
  Task<void> linger();

  Stream stream_;
  HttpPeer peer_;
  const HttpRoutes& routes_;
  const std::shared_ptr<const HttpSettings> settings_;
  Stop& idle_;
  HttpGuard& guard_;
  HttpCounters& counters_;
  InputBuffer input_;
  std::string following_;  // Bytes behind a chunked body.
};

// True if `host` (with or without a port) names loopback or is on the list.
bool host_allowed(std::string_view host, const HttpSettings& settings);
// True if pages of `origin` may send requests to `host`, the one of the request: it is that host
// itself, port included, or on a list.
bool origin_allowed(std::string_view origin, std::string_view host, const HttpSettings& settings);
// True if a browser says that a page of another origin makes the request, and names no Origin that
// could be on a list. People may follow links from anywhere.
bool from_another_page(const HttpRequest& request);

}  // namespace patchbay::net
