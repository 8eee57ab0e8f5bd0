#include "net/http/server/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "net/http/server/exchange.h"

namespace patchbay::net {
namespace {

HttpRefusal plain_refusal(std::string_view message) {
  return {kJson, fmt::format("{{\"error\":\"{}\"}}\n", message)};
}

}  // namespace

HttpRefusal HttpHandler::refusal(const HttpRequest&, int, std::string_view message) const {
  return plain_refusal(message);
}

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

HttpRefusal HttpRoutes::refusal(const HttpRequest& request, int status,
                                std::string_view message) const {
  const HttpRoute* const route = find(request.path);
  return route ? route->handler->refusal(request, status, message) : plain_refusal(message);
}

}  // namespace patchbay::net
