// The networks of this machine, as the kernel reports them: addresses, interfaces, routes.
//
// Blocks, if only for the kernel: for threads that may wait, not for workers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::net {

// The kernel's numbers, in the order in which it writes them.
inline constexpr int kUnixFamily = 1;
inline constexpr int kIpv4Family = 2;
inline constexpr int kIpv6Family = 10;
inline constexpr int kTcp = 6;
inline constexpr int kUdp = 17;
inline constexpr int kUdpLite = 136;
inline constexpr int kRaw = 255;

// An IP address from its 4 or 16 bytes; empty if they are another number.
std::string show_ip(std::string_view bytes);

struct InterfaceAddress {
  std::string interface;
  std::string address;
  std::string mask;
  std::string broadcast;  // Empty if there is none.
  std::string peer;       // The other end of a point-to-point link.
};

Result<std::vector<InterfaceAddress>> interface_addresses();

int interface_metric(const std::string& name);
std::string interface_name(int index);

// Requests all routes. `take` gets each buffer of netlink messages and returns whether it was the
// last.
Result<void> ask_routes(const std::function<bool(std::string_view messages)>& take);

}  // namespace patchbay::net
