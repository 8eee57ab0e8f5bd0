// The frontend for the wire protocol on TCP: frames that contain envelopes, plain (tcp://) or over
// TLS (tcps://). It accepts connections, does the TLS handshakes and counts; each client is a
// WireConnection.
//
// One per worker; confined to it.
#pragma once

#include <chrono>
#include <memory>

#include "frontends/wire/host.h"
#include "net/http/server/server.h"
#include "net/io/listener.h"
#include "net/io/trusted_proxies.h"
#include "net/tls/context.h"

namespace patchbay::frontends {

// Settings outside the section `wire`.
struct WireTcpSettings {
  std::size_t connections = 10'000;  // Of the whole process.
  std::size_t handshakes = 256;      // In progress on this worker.
  std::chrono::nanoseconds handshake_time = std::chrono::seconds(5);
  std::chrono::nanoseconds write_time =
      std::chrono::seconds(30);  // For the unsent rest at the end.
  std::chrono::nanoseconds grace =
      std::chrono::seconds(10);  // For calls of a client that has disconnected.
  std::shared_ptr<const net::TrustedProxies> proxies = {};  // Null: none are named.
  bool proxy_protocol = false;  // Connections begin with a PROXY protocol header.
};

class WireTcp {
 public:
  // Connections are counted together with those of HTTP. REQUIRES: host and counters outlive this.
  WireTcp(WireHost& host, net::HttpCounters& counters, const WireTcpSettings& settings);

  // Takes a listening socket and accepts in the background; over TLS if there is a context.
  void start(net::Fd listener, std::shared_ptr<const net::TlsContext> tls);

  void update(const WireTcpSettings& settings) { settings_ = settings; }
  // From now on handshakes use `tls`.
  void update_tls(std::shared_ptr<const net::TlsContext> tls) { tls_ = std::move(tls); }

  // Stops accepting; clients are notified once their requests are answered.
  void stop_accepting() { accepting_.close(); }
  void close();

  // Waits for requests in progress until `deadline`, then cancels them.
  Task<void> stop(Deadline deadline);

 private:
  void admit(net::Fd fd, const net::PeerAddress& from, bool secure);
  Task<void> serve(net::Fd fd, net::PeerAddress from, bool secure);
  Task<void> learn_client(net::Stream& stream, net::PeerAddress& from, bool secure,
                          Shares::Share& share);
  Task<void> do_handshake(net::Stream& stream, const net::PeerAddress& from);
  Task<void> start_tls(net::Stream& stream);

  WireHost& host_;
  net::HttpCounters& counters_;
  WireTcpSettings settings_;
  net::Accepting accepting_;
  net::Handshakes handshakes_;
  std::shared_ptr<const net::TlsContext> tls_;
  Stop idle_;  // Observed by every connection when the server stops.
  Scope connections_;
};

}  // namespace patchbay::frontends
