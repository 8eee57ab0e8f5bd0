// From where an address can be reached. A URL that a server names must not lead to an address that
// we can reach and the server cannot.
//
// Values only; pure.
#pragma once

#include <cstdint>

#include "net/io/address.h"

namespace patchbay::oauth {

enum class Reach : std::uint8_t {
  nowhere,  // Link-local, cloud metadata, multicast, documentation, tunnels, reserved: never
            // connected to.
  machine,  // Loopback.
  network,  // Private ranges.
  world,
};

Reach reach_of(const net::Address& address);

}  // namespace patchbay::oauth
