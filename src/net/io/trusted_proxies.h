// The reverse proxies and load balancers that may state the address of a client. Values only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/io/address_range.h"

namespace patchbay::net {

// The header in which a proxy states the client's address. Only one is read: a proxy that writes
// one of them passes the other on as the client sent it.
enum class ForwardedHeader : std::uint8_t { none, x_forwarded_for, forwarded };

struct TrustedProxies {
  std::vector<AddressRange> from;
  ForwardedHeader header = ForwardedHeader::x_forwarded_for;
  // The limits of a PROXY protocol header.
  std::chrono::nanoseconds header_time = std::chrono::seconds(5);
  std::size_t header_size = 1024;

  bool holds(const PeerAddress& address) const {
    return std::ranges::any_of(from,
                               [&](const AddressRange& range) { return range.holds(address); });
  }
};

}  // namespace patchbay::net
