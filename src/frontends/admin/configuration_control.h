// The configuration in the control API: GET /control/v1/configuration shows it without secrets,
// with the source of each setting and the reloads; POST /control/v1/configuration/check says what
// is wrong with another text; GET /control/v1/configuration/schema is the JSON Schema of its
// settings. GET /control/v1/configuration/file has the text of the file for an
// editor, and PUT replaces it, if console.edit is on. For admins (admin.h); changes are audited.
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

  static constexpr std::string_view kSchemaPath = "/control/v1/configuration/schema";
  static constexpr std::string_view kFilePath = "/control/v1/configuration/file";

  // REQUIRES: all outlive this.
  ConfigurationControl(ControlShared& shared, const gateway::CatalogView& catalog,
                       gateway::Recorder& recorder)
      : shared_(shared), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);
  Task<void> show_file(net::HttpExchange& exchange);
  Task<void> edit_file(net::HttpExchange& exchange);
  Result<ConfigurationEdit> edit_of(const net::HttpExchange& exchange) const;
  void note(const net::HttpExchange& exchange, const EditAnswer& answer);

  ControlShared& shared_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
