// The paths of an HttpServer and their handlers. A path that ends in `/*` stands for everything
// below it. An exact path takes precedence, then the longest prefix.
//
// Constant after construction; read on the server's worker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"

namespace patchbay::net {

class HttpExchange;
struct HttpRequest;

// The body of a response that the server writes itself.
struct HttpRefusal {
  std::string_view type;
  std::string text;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Answers the exchange exactly once. Called on the worker of the connection.
  virtual Task<void> handle(HttpExchange& exchange) = 0;

  // How the server refuses on behalf of the handler: a body that is too large, a method that the
  // route does not have. `message` needs no escaping.
  virtual HttpRefusal refusal(const HttpRequest& request, int status,
                              std::string_view message) const;
};

struct HttpRoute {
  std::string_view path;     // Exact, or with `/*` at its end.
  std::string_view methods;  // Comma-separated, as in Allow; `*`: the handler checks the method.
  HttpHandler* handler;
  bool open = false;               // Also for unauthenticated clients.
  HttpHandler* upgrade = nullptr;  // For requests for a WebSocket; null: they are like any other.
};

class HttpRoutes {
 public:
  explicit HttpRoutes(const std::vector<HttpRoute>& routes);

  // Null if there is no route. The path is compared as it arrived: percent-encoding never leads to
  // another route.
  const HttpRoute* find(std::string_view path) const;

  // How to refuse a request at that path, whether there is a route or not.
  HttpRefusal refusal(const HttpRequest& request, int status, std::string_view message) const;

 private:
  std::vector<HttpRoute> exact_;
  std::vector<HttpRoute> prefixes_;  // Without the star; the longest first.
};

}  // namespace patchbay::net
