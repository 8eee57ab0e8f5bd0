#include "net/http_routes.h"

#include <algorithm>
#include <functional>

namespace patchbay::net {

HttpRoutes::HttpRoutes(const std::vector<HttpRoute>& routes) {
  for (HttpRoute route : routes) {
    const bool prefix = route.path.ends_with("/*");
    if (prefix) route.path.remove_suffix(1);
    (prefix ? prefixes_ : exact_).push_back(route);
  }
  std::ranges::sort(prefixes_, std::greater(),
                    [](const HttpRoute& route) { return route.path.size(); });
}

const HttpRoute* HttpRoutes::find(std::string_view path) const {
  for (const auto& route : exact_) {
    if (route.path == path) return &route;
  }
  for (const auto& route : prefixes_) {
    if (path.starts_with(route.path)) return &route;
  }
  return nullptr;
}

}  // namespace patchbay::net
