// Links to sign in to an upstream, for `patchbay login` and the like:
//  - POST /control/sign-ins/UPSTREAM gives one, for the caller; with `?for=gateway`, for the
//    gateway's own connection;
//  - GET /control/sign-ins/ID returns its state, to the caller that it is for and to admins;
//  - DELETE /control/sign-ins/UPSTREAM signs out.
// A caller signs in and out for itself, at upstreams that its rules let it use. What all callers
// share, and what is the gateway's own, is for the role `admin`.
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
  // Whether it is about the gateway's own token rather than the caller's. The error is why neither
  // may be touched.
  Result<bool> is_for_gateway(const net::HttpExchange& exchange, const std::string& upstream);

  oauth::TokenService& service_;
  const gateway::CatalogView& catalog_;
};

}  // namespace patchbay::frontends
