// A link is the connection over which one node passes requests on to another: its settings, and
// what becomes of a request.
//
// Values only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cluster/members.h"
#include "net/tls/context.h"

namespace patchbay::cluster {

struct LinkSettings {
  std::chrono::nanoseconds connect_time = std::chrono::seconds(1);
  std::chrono::nanoseconds silence = std::chrono::seconds(2);  // Until a node counts as gone.
  std::size_t streams = 10'000;                                // Of one link.
  std::size_t buffer = 4 << 20;  // Bytes that wait for a link, before requests are refused.
  std::shared_ptr<const net::TlsContext> tls;
};

// What became of a request.
struct Forwarded {
  enum class Outcome : std::uint8_t {
    answered,  // Or ended as far as its client is concerned.
    refused,   // Nothing has run; `owner` knows more of it, or 0.
    unsent,    // Nothing has run: the node cannot be reached, or the link is full.
    lost,      // It may have run; nothing was answered.
  };
  Outcome outcome = Outcome::answered;
  Run owner = 0;
  Error why = {};
};

inline constexpr std::size_t kOutcomes = 4;

}  // namespace patchbay::cluster
