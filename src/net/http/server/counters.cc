#include "net/http/server/counters.h"

#include "observe/log.h"

namespace patchbay::net {
namespace {

std::shared_ptr<metrics::Counter> handshakes(metrics::Registry& registry, std::string_view how) {
  return registry.counter("patchbay_tls_handshakes_total", "TLS handshakes of clients.",
                          metrics::labels({{"outcome", how}}));
}

}  // namespace

HttpCounters::HttpCounters(metrics::Registry& registry)
    : refused(
          registry.counter("patchbay_http_refused_total", "Connections refused for lack of room.")),
      requests(registry.counter("patchbay_http_requests_total", "HTTP requests read.")),
      malformed(
          registry.counter("patchbay_http_malformed_total", "HTTP requests refused as malformed.")),
      body_bytes(registry.gauge("patchbay_memory_bytes", "Memory by owner.",
                                metrics::labels({{"owner", "request_bodies"}}))),
      tls_full(handshakes(registry, "full")),
      tls_resumed(handshakes(registry, "resumed")),
      tls_failed(handshakes(registry, "failed")),
      tls_slow(handshakes(registry, "slow")) {
  registry.watch_gauge("patchbay_connections", "Connections that are open.",
                       [this] { return static_cast<double>(connections.load()); });
}

void HttpCounters::add_failed_handshake(const Error& why, const PeerAddress& peer) {
  const bool slow = why.code == Code::timeout || why.code == Code::cancelled;
  (slow ? tls_slow : tls_failed)->add();
  if (slow || why.message.empty()) return;
  log::Line(log::Level::info, "tls handshake failed")
      .add("peer", peer.text())
      .add("why", why.message);
}

}  // namespace patchbay::net
