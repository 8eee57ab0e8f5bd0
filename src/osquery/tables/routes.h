// Routes from the kernel's netlink messages. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::osquery {

struct Route {
  std::string destination;
  int prefix = 0;
  std::string gateway;
  std::string source;
  std::int64_t flags = 0;
  int interface = 0;  // Its index.
  std::int64_t mtu = 0;
  std::int64_t metric = 0;
  std::string_view type;
  std::int64_t hops = 0;
};

// Adds the routes of one buffer of netlink messages. True after the last one.
bool parse_routes(std::string_view messages, std::vector<Route>& into);

}  // namespace patchbay::osquery
