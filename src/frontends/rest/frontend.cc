#include "frontends/rest/frontend.h"

#include "frontends/rest/rest.h"
#include "frontends/rest/swagger_ui.h"

namespace patchbay::frontends {
namespace {

class RestFrontend final : public Frontend {
 public:
  RestFrontend(const SharedRestFrontend& shared, const OperationsView& operations,
               OpenApiDocuments& documents, const WorkerServices& worker)
      : shared_(shared),
        rest_(worker.server, worker.catalog, operations, {shared.members(), worker.forwarder},
              shared.settings().rest, shared.settings().streaming),
        openapi_(worker.server, worker.catalog, documents, shared.settings().rest),
        swagger_ui_(shared.settings().rest) {}

  std::vector<net::HttpRoute> routes() override {
    return {{"/mcp/v1/*", "*", &rest_},
            {"/gateway/*", "*", &rest_},
            {"/api/*", "*", &rest_},
            {"/rcs/*", "*", &rest_},
            {"/agents", "*", &rest_},
            {"/agents/*", "*", &rest_},
            {"/v3/api-docs", "GET, HEAD", &openapi_},
            {"/openapi.json", "GET, HEAD", &openapi_},
            {"/openapi.yaml", "GET, HEAD", &openapi_},
            {"/swagger-ui", "GET, HEAD", &swagger_ui_},
            {"/swagger-ui/*", "GET, HEAD", &swagger_ui_}};
  }

  void update() override {
    const auto& [rest, streaming] = shared_.settings();
    rest_.update(rest, streaming);
    openapi_.update(rest);
    swagger_ui_.update(rest);
  }

 private:
  const SharedRestFrontend& shared_;
  Rest rest_;
  OpenApiPage openapi_;
  SwaggerUi swagger_ui_;
};

}  // namespace

std::unique_ptr<Frontend> SharedRestFrontend::make(const WorkerServices& worker) {
  return std::make_unique<RestFrontend>(*this, operations_, documents_, worker);
}

std::vector<SharedFrontend::Entrance> SharedRestFrontend::entrances() const {
  if (!settings_.rest.enabled) return {};
  return {{"rest", {"/api", "/rcs", "/mcp/v1"}}, {"swagger ui", {"/swagger-ui/index.html"}}};
}

}  // namespace patchbay::frontends
