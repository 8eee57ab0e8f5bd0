#include "net/io/peer_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <string_view>

#include "net/io/machine_network.h"

namespace patchbay::net {
namespace {

constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_v4(const PeerAddress& address) {
  return std::equal(kMapped.begin(), kMapped.end(), address.ip.begin());
}

}  // namespace

PeerAddress PeerAddress::of(const sockaddr_storage& address) {
  PeerAddress peer;
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&v4.sin_addr);
    std::ranges::copy(kMapped, peer.ip.begin());
    std::copy_n(bytes, 4, peer.ip.begin() + kMapped.size());
    peer.port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    std::ranges::copy(v6.sin6_addr.s6_addr, peer.ip.begin());
    peer.port = ntohs(v6.sin6_port);
  }
  return peer;
}

std::string PeerAddress::ip_text() const {
  const std::string_view bytes(reinterpret_cast<const char*>(ip.data()), ip.size());
  return show_ip(is_v4(*this) ? bytes.substr(kMapped.size()) : bytes);
}

std::string PeerAddress::text() const {
  return fmt::format(fmt::runtime(is_v4(*this) ? "{}:{}" : "[{}]:{}"), ip_text(), port);
}

std::array<unsigned char, 16> PeerAddress::network() const {
  auto prefix = ip;
  if (!is_v4(*this)) std::fill(prefix.begin() + 8, prefix.end(), static_cast<unsigned char>(0));
  return prefix;
}

std::string network_text(std::string_view ip) {
  PeerAddress address;
  const bool v6 = ip.find(':') != std::string_view::npos &&
                  ::inet_pton(AF_INET6, std::string(ip).c_str(), address.ip.data()) == 1;
  if (!v6 || is_v4(address)) return std::string(ip);
  address.ip = address.network();
  return address.ip_text() + "/64";
}

}  // namespace patchbay::net
