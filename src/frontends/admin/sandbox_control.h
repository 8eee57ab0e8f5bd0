// Sandboxes in the control API: GET /control/v1/sandboxes lists them, with what they may use and
// use, and the end of the output of their last run; DELETE /control/v1/sandboxes/UPSTREAM/ID ends
// one. Admins (admin.h) see all, other callers their own. Ending one is audited.
//
// One per worker; confined to it.
#pragma once

#include <string>

#include "frontends/operations.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "gateway/sandbox_host.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class SandboxControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/sandboxes";

  // REQUIRES: all outlive this.
  SandboxControl(const OperationsView& operations, const gateway::CatalogView& catalog,
                 gateway::Recorder& recorder)
      : operations_(operations), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  using Host = std::shared_ptr<gateway::SandboxHost>;

  Task<std::string> answer(const net::HttpExchange& exchange);
  Task<std::string> list(Caller caller);
  Task<std::string> destroy(const net::HttpExchange& exchange, std::string upstream,
                            std::string id);
  Host host(const std::string& upstream) const;

  const OperationsView& operations_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
