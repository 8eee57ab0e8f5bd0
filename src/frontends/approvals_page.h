// The front end for those who approve calls: GET /control/approvals lists what waits, POST to one
// of them approves it, DELETE refuses it. Only for callers with the role `admin`, and for those
// whom nothing asks who they are.
//
// One per worker; confined to it. The approvals are shared.
#pragma once

#include <string>

#include "gateway/catalog_view.h"
#include "net/http_server.h"
#include "policy/approvals.h"

namespace patchbay::frontends {

class ApprovalsPage final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/approvals";

  // REQUIRES: both outlive this.
  ApprovalsPage(policy::Approvals& approvals, const gateway::CatalogView& catalog)
      : approvals_(approvals), catalog_(catalog) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Result<std::string> answer(const net::HttpExchange& exchange);
  Result<std::string> decide(const Principal& who, std::string_view method, const std::string& id);

  policy::Approvals& approvals_;
  const gateway::CatalogView& catalog_;
};

}  // namespace patchbay::frontends
