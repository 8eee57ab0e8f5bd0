#include "net/http/server/counters.h"

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
      tls_full(handshakes(registry, "full")),
      tls_resumed(handshakes(registry, "resumed")),
      tls_failed(handshakes(registry, "failed")),
      tls_slow(handshakes(registry, "slow")) {
  registry.watch_gauge("patchbay_connections", "Connections that are open.",
                       [this] { return connections.load(); });
}

}  // namespace patchbay::net
