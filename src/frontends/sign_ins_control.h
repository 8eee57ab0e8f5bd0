// The front end for whoever wants a link to sign in for an upstream, as `patchbay login` does:
//  - POST /control/sign-ins/UPSTREAM gives one, for the caller; with `?for=gateway`, for the
//    gateway's own connection, which only callers with the role `admin` may ask for;
//  - GET /control/sign-ins/ID says how it stands;
//  - DELETE /control/sign-ins/UPSTREAM forgets what was given.
//
// One per worker; confined to it. The Keeper is shared.
#pragma once

#include <string>

#include "gateway/catalog_view.h"
#include "net/http_server.h"
#include "oauth/keeper.h"

namespace patchbay::frontends {

class SignInsControl final : public net::HttpHandler {
 public:
  // REQUIRES: both outlive this.
  SignInsControl(oauth::Keeper& keeper, const gateway::CatalogView& catalog)
      : keeper_(keeper), catalog_(catalog) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);
  // For whom: the caller, or the gateway itself.
  Result<Caller> person(const net::HttpExchange& exchange) const;

  oauth::Keeper& keeper_;
  const gateway::CatalogView& catalog_;
};

}  // namespace patchbay::frontends
