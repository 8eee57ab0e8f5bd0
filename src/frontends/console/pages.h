// The files of the console at /console/, and the way from / to them for browsers. Open to all: they
// are the same in every gateway and contain nothing of this one. A path without a dot is a view of
// the page, which the page itself reads from the path.
//
// One per worker; confined to it.
#pragma once

#include "frontends/auth/request_authenticator.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class ConsolePages final : public net::HttpHandler {
 public:
  // REQUIRES: it outlives this.
  explicit ConsolePages(RequestAuthenticator& authenticator) : authenticator_(authenticator) {}

  void set_enabled(bool enabled) { enabled_ = enabled; }
  // False also where a browser only signs in to upstreams: there is no gateway to look at.
  bool is_served() const { return enabled_ && authenticator_.serves(); }

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  RequestAuthenticator& authenticator_;
  bool enabled_ = true;
};

// / leads browsers to the console. For others there is nothing at this path.
class ConsoleEntrance final : public net::HttpHandler {
 public:
  // REQUIRES: both outlive this.
  ConsoleEntrance(const ConsolePages& pages, RequestAuthenticator& authenticator)
      : pages_(pages), authenticator_(authenticator) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  const ConsolePages& pages_;
  RequestAuthenticator& authenticator_;
};

// What every answer of the console has. `Cache-Control` is not among it.
extern const std::string_view kConsoleFields;

}  // namespace patchbay::frontends
