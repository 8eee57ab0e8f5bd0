// The page with our metadata as an OAuth resource server (RFC 9728), at the two paths where clients
// look: /.well-known/oauth-protected-resource, and the same followed by the path of the resource.
// It needs no authentication.
//
// One per worker; confined to it.
#pragma once

#include "frontends/auth/challenge.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class ResourcePage final : public net::HttpHandler {
 public:
  explicit ResourcePage(const policy::AuthSettings& settings) { update(settings); }

  void update(const policy::AuthSettings& settings);
  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  std::string text_;  // Empty: there is no authorization server.
  std::string path_;
};

}  // namespace patchbay::frontends
