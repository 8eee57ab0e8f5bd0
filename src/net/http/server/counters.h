// What the HttpServers of all workers count together.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "observe/metrics.h"

namespace patchbay::net {

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

}  // namespace patchbay::net
