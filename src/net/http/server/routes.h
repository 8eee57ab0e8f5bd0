// The paths of an HttpServer and who answers there. A path that ends in `/*` stands for everything
// below it. An exact path wins over these, and of these the longest.
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

// The body of an answer that the server gives by itself.
struct HttpRefusal {
  std::string_view type;
  std::string text;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Answers the exchange exactly once. Called on the worker of the connection.
  virtual Task<void> handle(HttpExchange& exchange) = 0;

  // How the server refuses in the handler's place what never gets to it: a body that is too large,
  // a method that is not one of the route's. `message` is in words that need no escaping.
  virtual HttpRefusal refusal(const HttpRequest& request, int status,
                              std::string_view message) const;
};

struct HttpRoute {
  std::string_view path;     // Exact, or with `/*` at its end.
  std::string_view methods;  // Comma-separated, as in Allow; `*`: the handler sees to it.
  HttpHandler* handler;
  bool open = false;               // For those too whom the guard does not know.
  HttpHandler* upgrade = nullptr;  // For requests for a WebSocket; null: they are like any other.
};

class HttpRoutes {
 public:
  explicit HttpRoutes(const std::vector<HttpRoute>& routes);

  // Null if nobody answers there. The path is taken as it came: what is encoded in it never makes
  // another route of it.
  const HttpRoute* find(std::string_view path) const;

  // How to refuse something at that path, whether anybody answers there or not.
  HttpRefusal refusal(const HttpRequest& request, int status, std::string_view message) const;

 private:
  std::vector<HttpRoute> exact_;
  std::vector<HttpRoute> prefixes_;  // Without the star; the longest first.
};

}  // namespace patchbay::net
