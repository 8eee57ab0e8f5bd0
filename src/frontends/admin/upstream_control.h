// One upstream in the control API: GET /control/v1/upstreams/NAME says how it is, with the last
// lines of its programs on stderr; POST /control/v1/upstreams/NAME/restart ends its connections and
// programs and makes them anew. Restarting and stderr are for admins (admin.h).
//
// One per worker; confined to it. What it reads is shared.
#pragma once

#include <string>

#include "frontends/admin/control_api.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class UpstreamControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/upstreams/";

  // REQUIRES: all outlive this.
  UpstreamControl(ControlShared& shared, const gateway::CatalogView& catalog,
                  gateway::Recorder& recorder)
      : shared_(shared), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);
  Result<std::string> show(const Principal& caller, const std::string& name);
  Task<std::string> restart(const net::HttpExchange& exchange, std::string name);
  bool sees(const Principal& caller, const std::string& name) const;

  ControlShared& shared_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
