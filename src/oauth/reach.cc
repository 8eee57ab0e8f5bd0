#include "oauth/reach.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "net/io/address_range.h"

namespace patchbay::oauth {
namespace {

struct Row {
  net::AddressRange range;
  Reach reach;
};

Row row(std::string_view range, Reach reach) { return {*net::AddressRange::parse(range), reach}; }

// The special-purpose registries of IANA, and addresses that clouds use. The first match decides.
const auto& rows() {
  static const std::array kRows{
      // IPv4, which is also compared in its IPv6-mapped form.
      row("127.0.0.0/8", Reach::machine), row("0.0.0.0/8", Reach::nowhere),
      row("10.0.0.0/8", Reach::network),
      row("100.100.100.200", Reach::nowhere),  // Metadata service of a cloud.
      row("100.64.0.0/10", Reach::network),
      row("168.63.129.16", Reach::nowhere),  // Metadata service of a cloud.
      row("169.254.0.0/16", Reach::nowhere), row("172.16.0.0/12", Reach::network),
      row("192.0.0.0/24", Reach::nowhere), row("192.0.2.0/24", Reach::nowhere),
      row("192.88.99.0/24", Reach::nowhere), row("192.168.0.0/16", Reach::network),
      row("198.18.0.0/15", Reach::network), row("198.51.100.0/24", Reach::nowhere),
      row("203.0.113.0/24", Reach::nowhere), row("224.0.0.0/4", Reach::nowhere),
      row("240.0.0.0/4", Reach::nowhere),
      row("::ffff:0:0/96", Reach::world),  // Every other IPv4 address.
      // IPv6.
      row("::1", Reach::machine),
      row("64:ff9b:1::/48", Reach::network),  // Locally chosen translation.
      row("fd00:ec2::254", Reach::nowhere),   // Metadata service of a cloud.
      row("fd20:ce::254", Reach::nowhere),    // The same.
      row("fc00::/7", Reach::network),
      row("2001::/23", Reach::nowhere),  // IETF protocols, Teredo among them.
      row("2001:db8::/32", Reach::nowhere), row("2002::/16", Reach::nowhere),  // 6to4.
      row("3fff::/20", Reach::nowhere), row("2000::/3", Reach::world),
      row("::/0", Reach::nowhere),  // No global unicast address.
  };
  return kRows;
}

// An IPv4 address behind a NAT64 translator is classified as itself.
net::PeerAddress untranslated(net::PeerAddress address) {
  static const auto kTranslated = *net::AddressRange::parse("64:ff9b::/96");
  if (!kTranslated.holds(address)) return address;
  std::fill_n(address.ip.begin(), 10, 0);
  address.ip[10] = address.ip[11] = 0xFF;
  return address;
}

}  // namespace

Reach reach_of(const net::Address& address) {
  const auto peer = untranslated(net::PeerAddress::of(address.storage));
  for (const auto& [range, reach] : rows()) {
    if (range.holds(peer)) return reach;
  }
  return Reach::nowhere;
}

}  // namespace patchbay::oauth
