// routes: where packets go.
#include "osquery/tables/routes.h"

#include <linux/rtnetlink.h>

#include <array>
#include <cstring>

#include "net/io/machine_network.h"
#include "osquery/tables/all.h"

namespace patchbay::osquery {
namespace {

std::string_view type_name(int type) {
  switch (type) {
    case RTN_UNICAST:
      return "gateway";
    case RTN_LOCAL:
      return "local";
    case RTN_BROADCAST:
      return "broadcast";
    case RTN_ANYCAST:
      return "anycast";
    default:
      return "other";
  }
}

// Calls `visit(type, value)` for each attribute in `bytes`; stops where they are not whole.
template <class Visit>
void each_attribute(std::string_view bytes, Visit visit) {
  rtattr head;
  while (bytes.size() >= sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.rta_len < sizeof head || head.rta_len > bytes.size()) return;
    visit(int{head.rta_type}, bytes.substr(sizeof head, head.rta_len - sizeof head));
    bytes.remove_prefix(std::min<std::size_t>(RTA_ALIGN(head.rta_len), bytes.size()));
  }
}

std::int64_t as_number(std::string_view value) {
  std::uint32_t number = 0;
  if (value.size() >= sizeof number) std::memcpy(&number, value.data(), sizeof number);
  return number;
}

Route parse_route(const rtmsg& head, std::string_view attributes) {
  Route route;
  route.prefix = head.rtm_dst_len;
  route.flags = head.rtm_flags;
  route.type = type_name(head.rtm_type);
  route.destination = head.rtm_family == net::kIpv6Family ? "::" : "0.0.0.0";
  each_attribute(attributes, [&](int type, std::string_view value) {
    if (type == RTA_DST) route.destination = net::show_ip(value);
    if (type == RTA_GATEWAY) route.gateway = net::show_ip(value);
    if (type == RTA_PREFSRC) route.source = net::show_ip(value);
    if (type == RTA_OIF) route.interface = static_cast<int>(as_number(value));
    if (type == RTA_PRIORITY) route.metric = as_number(value);
    if (type != RTA_METRICS) return;
    each_attribute(value, [&](int metric, std::string_view number) {
      if (metric == RTAX_MTU) route.mtu = as_number(number);
      if (metric == RTAX_HOPLIMIT) route.hops = as_number(number);
    });
  });
  return route;
}

namespace column {
enum { destination, netmask, gateway, source, flags, interface, mtu, metric, type, hopcount };
}
constexpr std::array kColumns{
    Column{"destination", Type::text}, Column{"netmask", Type::integer},
    Column{"gateway", Type::text},     Column{"source", Type::text},
    Column{"flags", Type::integer},    Column{"interface", Type::text},
    Column{"mtu", Type::integer},      Column{"metric", Type::integer},
    Column{"type", Type::text},        Column{"hopcount", Type::integer},
};

Result<void> read_routes(Scan& scan) {
  std::vector<Route> routes;
  auto asked =
      net::ask_routes([&](std::string_view messages) { return parse_routes(messages, routes); });
  if (!asked) return asked;
  for (const Route& route : routes) {
    if (!scan.row()) return ok();
    scan.set(column::destination, route.destination);
    scan.set(column::netmask, route.prefix);
    scan.set(column::gateway, route.gateway);
    scan.set(column::source, route.source);
    scan.set(column::flags, route.flags);
    scan.set(column::interface, net::interface_name(route.interface));
    scan.set(column::mtu, route.mtu);
    scan.set(column::metric, route.metric);
    scan.set(column::type, route.type);
    scan.set(column::hopcount, route.hops);
  }
  return ok();
}

}  // namespace

bool parse_routes(std::string_view messages, std::vector<Route>& into) {
  nlmsghdr head;
  while (messages.size() >= sizeof head) {
    std::memcpy(&head, messages.data(), sizeof head);
    if (head.nlmsg_len < sizeof head || head.nlmsg_len > messages.size()) return true;
    if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) return true;
    const auto body = messages.substr(sizeof head, head.nlmsg_len - sizeof head);
    rtmsg route;
    if (head.nlmsg_type == RTM_NEWROUTE && body.size() >= sizeof route) {
      std::memcpy(&route, body.data(), sizeof route);
      into.push_back(parse_route(route, body.substr(NLMSG_ALIGN(sizeof route))));
    }
    messages.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), messages.size()));
  }
  return false;
}

constinit const Table kRoutes{"routes", "The routing table of the kernel.", kColumns, read_routes};

}  // namespace patchbay::osquery
