// Links to sign in to an upstream, for `patchbay login` and other programs:
// - POST /control/sign-ins/UPSTREAM creates a link for the caller, or with `?for=gateway` for the
//   gateway's own connection;
// - GET /control/sign-ins/ID returns its state, to its caller and to admins;
// - DELETE /control/sign-ins/UPSTREAM signs out.
// A caller signs in and out for itself, at upstreams that its rules allow. Tokens that all callers
// share, and the gateway's own, require the role `admin`.
//
// One per worker; confined to it. The TokenService is shared.
#pragma once

#include <string>

#include "gateway/catalog/view.h"
#include "net/http/server/server.h"
#include "oauth/token_service.h"

namespace patchbay::frontends {

class SignInsControl final : public net::HttpHandler {
 public:
  // REQUIRES: both outlive this.
  SignInsControl(oauth::TokenService& service, const gateway::CatalogView& catalog)
      : service_(service), catalog_(catalog) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);
  // Whether the request concerns the gateway's own token rather than the caller's. The error states
  // why the caller may not change either.
  Result<bool> is_for_gateway(const net::HttpExchange& exchange, const std::string& upstream);

  oauth::TokenService& service_;
  const gateway::CatalogView& catalog_;
};

}  // namespace patchbay::frontends
