#include "net/io/machine_network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>

#include "net/io/fd.h"
#include "net/io/system_failure.h"

namespace patchbay::net {
namespace {

static_assert(kUnixFamily == AF_UNIX && kIpv4Family == AF_INET && kIpv6Family == AF_INET6);
static_assert(kTcp == IPPROTO_TCP && kUdp == IPPROTO_UDP);
static_assert(kUdpLite == IPPROTO_UDPLITE && kRaw == IPPROTO_RAW);

// Empty if it is no IP address.
std::string show(const sockaddr* from) {
  const auto bytes = [](const auto& address) {
    return std::string_view(reinterpret_cast<const char*>(&address), sizeof address);
  };
  if (from && from->sa_family == AF_INET) {
    return show_ip(bytes(reinterpret_cast<const sockaddr_in*>(from)->sin_addr));
  }
  if (from && from->sa_family == AF_INET6) {
    return show_ip(bytes(reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr));
  }
  return {};
}

}  // namespace

std::string show_ip(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (bytes.size() != sizeof(in_addr) && bytes.size() != sizeof(in6_addr)) return {};
  const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
  ::inet_ntop(family, bytes.data(), text.data(), text.size());
  return text.data();
}

Result<std::vector<InterfaceAddress>> interface_addresses() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return system_failure("cannot list interfaces");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, ::freeifaddrs);
  std::vector<InterfaceAddress> list;
  for (const ifaddrs* one = first; one; one = one->ifa_next) {
    const std::string address = show(one->ifa_addr);
    if (address.empty()) continue;
    const bool broadcasts = (one->ifa_flags & IFF_BROADCAST) != 0;
    const bool has_peer = (one->ifa_flags & IFF_POINTOPOINT) != 0;
    list.push_back({one->ifa_name, address, show(one->ifa_netmask),
                    broadcasts ? show(one->ifa_broadaddr) : "",
                    has_peer ? show(one->ifa_dstaddr) : ""});
  }
  return list;
}

int interface_metric(const std::string& name) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  if (!socket || ::ioctl(socket.get(), SIOCGIFMETRIC, &request) != 0) return 0;
  return request.ifr_metric;
}

std::string interface_name(int index) {
  std::array<char, IF_NAMESIZE> name{};
  ::if_indextoname(static_cast<unsigned>(index), name.data());
  return name.data();
}

Result<void> ask_routes(const std::function<bool(std::string_view messages)>& take) {
  const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket) return system_failure("cannot request routes");
  struct {
    nlmsghdr head;
    rtmsg body;
  } request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_GETROUTE;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  if (::send(socket.get(), &request, sizeof request, 0) < 0)
    return system_failure("cannot request routes");
  std::string buffer(std::size_t{64} << 10, '\0');
  for (bool last = false; !last;) {
    const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (n <= 0) return system_failure("the kernel did not return its routes");
    last = take(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
  }
  return ok();
}

}  // namespace patchbay::net
