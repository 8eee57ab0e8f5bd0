// The shared counters of the HttpServers of all workers.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/error.h"
#include "net/io/peer_address.h"
#include "observe/metrics.h"

namespace patchbay::net {

struct HttpCounters {
  explicit HttpCounters(metrics::Registry& registry);

  std::atomic<std::int64_t> connections{0};  // Open now.
  std::shared_ptr<metrics::Counter> refused;
  std::shared_ptr<metrics::Counter> requests;
  std::shared_ptr<metrics::Counter> malformed;  // Answered 4xx by the server itself.
  std::shared_ptr<metrics::Gauge>
      body_bytes;  // Bytes of bodies that did not arrive with their head.
  std::shared_ptr<metrics::Counter> tls_full;     // Handshakes with certificates,
  std::shared_ptr<metrics::Counter> tls_resumed;  // with a ticket,
  std::shared_ptr<metrics::Counter> tls_failed;   // refused or aborted by an error,
  std::shared_ptr<metrics::Counter> tls_slow;     // and ended by their timeout.

  // Counts a failed handshake, and logs it unless it was too slow or the client sent nothing.
  void add_failed_handshake(const Error& why, const PeerAddress& peer);
};

}  // namespace patchbay::net
