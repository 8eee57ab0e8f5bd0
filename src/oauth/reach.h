// How far an address is reached from. What a server names must not lead to places that only we can
// reach, and the server cannot: itself included, it gets no further than it already is.
//
// Values only; pure.
#pragma once

#include <cstdint>

#include "net/io/socket.h"

namespace patchbay::oauth {

enum class Reach : std::uint8_t {
  nowhere,  // Link-local, metadata of clouds, multicast, documentation, tunnels, reserved: never
            // visited.
  machine,  // Loopback.
  network,  // Private ranges.
  world,
};

Reach reach_of(const net::Address& address);

}  // namespace patchbay::oauth
