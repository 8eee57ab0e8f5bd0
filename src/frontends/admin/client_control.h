// DELETE /control/v1/clients/ID ends a session, a stream or a connection of a client. Only for
// admins (admin.h).
//
// One per worker; confined to it. The clients are those of the process.
#pragma once

#include <string>

#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class ClientControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/clients/";

  // REQUIRES: both outlive this.
  ClientControl(const gateway::CatalogView& catalog, gateway::Recorder& recorder)
      : catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Result<std::string> end(const net::HttpExchange& exchange);

  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
