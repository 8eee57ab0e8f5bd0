#include "oauth/reach.h"

#include <array>
#include <string_view>

#include "policy/address_range.h"

namespace patchbay::oauth {
namespace {

struct Row {
  policy::AddressRange range;
  Reach reach;
};

Row row(std::string_view range, Reach reach) {
  return {*policy::AddressRange::parse(range), reach};
}

// The first that holds an address decides.
const auto& rows() {
  static const std::array kRows{
      row("127.0.0.0/8", Reach::machine),     row("::1", Reach::machine),
      row("169.254.0.0/16", Reach::nowhere),  row("fe80::/10", Reach::nowhere),
      row("0.0.0.0/8", Reach::nowhere),       row("::", Reach::nowhere),
      row("224.0.0.0/4", Reach::nowhere),     row("ff00::/8", Reach::nowhere),
      row("255.255.255.255", Reach::nowhere), row("10.0.0.0/8", Reach::network),
      row("172.16.0.0/12", Reach::network),   row("192.168.0.0/16", Reach::network),
      row("100.64.0.0/10", Reach::network),   row("198.18.0.0/15", Reach::network),
      row("fd00:ec2::254", Reach::nowhere),   row("fc00::/7", Reach::network),
      row("64:ff9b::/96", Reach::network),
  };
  return kRows;
}

}  // namespace

Reach reach_of(const net::Address& address) {
  const auto peer = net::PeerAddress::of(address.storage);
  for (const auto& [range, reach] : rows()) {
    if (range.holds(peer)) return reach;
  }
  return Reach::world;
}

}  // namespace patchbay::oauth
