// The frontend for REST: the catalog as paths, its OpenAPI document, and the page to try it.
//
// See frontends/frontend.h for threads.
#pragma once

#include "frontends/frontend.h"
#include "frontends/rest/call.h"
#include "frontends/rest/openapi_page.h"
#include "frontends/rest/settings.h"

namespace patchbay::frontends {

struct RestFrontendSettings {
  RestSettings rest;
  RestStreaming streaming;
};

class SharedRestFrontend final : public SharedFrontend {
 public:
  SharedRestFrontend(RestFrontendSettings settings, const ProcessServices& services)
      : settings_(std::move(settings)),
        operations_(services.operations),
        members_(services.members) {}

  void update(RestFrontendSettings settings) { settings_ = std::move(settings); }
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;
  std::vector<Entrance> entrances() const override;

  const RestFrontendSettings& settings() const { return settings_; }
  const cluster::Members& members() const { return members_; }

 private:
  RestFrontendSettings settings_;
  const OperationsView& operations_;
  const cluster::Members& members_;
  OpenApiDocuments documents_;
};

}  // namespace patchbay::frontends
