// A PeerAddress is the remote address of a connection, small enough to be stored with each. IPv4
// addresses are stored as IPv4-mapped IPv6 addresses, so that a client has one address however the
// listener is bound.
//
// Values only.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::net {

struct PeerAddress {
  std::array<unsigned char, 16> ip{};
  std::uint16_t port = 0;

  static PeerAddress of(const sockaddr_storage& address);

  auto operator<=>(const PeerAddress&) const = default;

  // "127.0.0.1" or "::1".
  std::string ip_text() const;
  // "127.0.0.1:50000" or "[::1]:50000".
  std::string text() const;

  // The unit by which clients are counted: an IPv4 address, or the /64 of an IPv6 address.
  std::array<unsigned char, 16> network() const;
};

// The network() of an address given as text: "127.0.0.1", "2001:db8:0:1::/64". A text that is no
// IPv6 address is returned unchanged.
std::string network_text(std::string_view ip);

}  // namespace patchbay::net
