// The configuration in the control API: GET /control/v1/configuration shows it without secrets,
// with the source of each setting and the reloads; POST /control/v1/configuration/check says what
// is wrong with another text. Nothing here changes the configuration. For admins (admin.h).
//
// One per worker; confined to it.
#pragma once

#include <string>

#include "frontends/admin/control_api.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class ConfigurationControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/configuration";
  static constexpr std::string_view kCheckPath = "/control/v1/configuration/check";

  // REQUIRES: both outlive this.
  ConfigurationControl(ControlShared& shared, const gateway::CatalogView& catalog)
      : shared_(shared), catalog_(catalog) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);

  ControlShared& shared_;
  const gateway::CatalogView& catalog_;
};

}  // namespace patchbay::frontends
