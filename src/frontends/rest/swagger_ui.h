// The page on which people try REST: Swagger UI over the OpenAPI document, from the binary alone.
// It loads nothing from other hosts, and its headers enforce that.
//
// One per worker; confined to it.
#pragma once

#include "frontends/rest/answer.h"
#include "frontends/rest/settings.h"
#include "frontends/rest/swagger_assets.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class SwaggerUi final : public net::HttpHandler {
 public:
  explicit SwaggerUi(const RestSettings& settings) { update(settings); }

  Task<void> handle(net::HttpExchange& exchange) override;
  net::HttpRefusal refusal(const net::HttpRequest&, int status,
                           std::string_view message) const override {
    return rest_refusal(Dialect::plain, status, message);
  }

  void update(const RestSettings& settings) {
    enabled_ = settings.enabled && settings.openapi && settings.swagger_ui;
  }

 private:
  bool enabled_ = true;
};

}  // namespace patchbay::frontends
