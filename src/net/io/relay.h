// Copies bytes between two connections, in both directions at once, until both have ended. A proxy
// uses it once it knows the destination. Holds one piece of each direction in memory and reads the
// next one when the other side has accepted it.
//
// Confined to the thread of the loop of both.
#pragma once

#include <cstdint>

#include "net/io/source.h"

namespace patchbay::net {

struct Relayed {
  std::uint64_t there = 0;  // From the first to the second.
  std::uint64_t back = 0;
};

// How long no byte may be transferred. A TCP peer that has ended its side cannot be distinguished
// from one that has disconnected. Once one direction has ended, the other therefore gets
// `half_open` between two bytes, or `idle` if that is less.
struct RelayTimeouts {
  std::chrono::nanoseconds idle;
  std::chrono::nanoseconds half_open;
};

// Counts in `moved` while it runs. Code::timeout if no byte moves for too long, Code::unavailable
// if one connection fails. The caller closes both.
Task<void> relay(Source& first, Source& second, RelayTimeouts timeout, Relayed& moved);

}  // namespace patchbay::net
