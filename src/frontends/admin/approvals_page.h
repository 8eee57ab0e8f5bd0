// The pages for approving calls: GET /control/approvals lists the waiting calls, POST to one of
// them approves it, DELETE refuses it. Only for admins (admin.h), and no caller can approve its own
// call.
//
// One per worker; confined to it. The approvals are shared, with other gateways too.
#pragma once

#include <string>

#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"
#include "policy/rules/approvals.h"

namespace patchbay::frontends {

class ApprovalsPage final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/approvals";

  // REQUIRES: all outlive this.
  ApprovalsPage(policy::Approvals& approvals, const gateway::CatalogView& catalog,
                gateway::Recorder& recorder)
      : approvals_(approvals), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);
  Task<std::string> list();
  Task<std::string> decide(const net::HttpExchange& exchange, std::string id);

  policy::Approvals& approvals_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
