// Moves bytes between two connections, in both directions at once, until both have ended: what a
// proxy does once it knows where a connection leads. Holds one piece of each direction in memory
// and reads on when the other side has taken it.
//
// Confined to the thread of the loop of both.
#pragma once

#include <cstdint>

#include "net/source.h"

namespace patchbay::net {

struct Relayed {
  std::uint64_t there = 0;  // From the first to the second.
  std::uint64_t back = 0;
};

// Counts in `moved` while it runs. Code::timeout if no byte moves for `idle`; a connection of which
// one direction has ended gets less. Code::unavailable if one of them breaks. Both are left for the
// caller to close.
Task<void> relay(Source& first, Source& second, std::chrono::nanoseconds idle, Relayed& moved);

}  // namespace patchbay::net
