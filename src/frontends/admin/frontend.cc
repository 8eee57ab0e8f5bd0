#include "frontends/admin/frontend.h"

#include "frontends/admin/approvals_page.h"
#include "frontends/admin/bus_control.h"
#include "frontends/admin/catalog_control.h"
#include "frontends/admin/client_control.h"
#include "frontends/admin/configuration_control.h"
#include "frontends/admin/live_calls.h"
#include "frontends/admin/operations_pages.h"
#include "frontends/admin/registrations_page.h"
#include "frontends/admin/sandbox_control.h"
#include "frontends/admin/sign_in_pages.h"
#include "frontends/admin/sign_ins_control.h"
#include "frontends/admin/token_control.h"
#include "frontends/admin/upstream_control.h"

namespace patchbay::frontends {
namespace {

class AdminFrontend final : public Frontend {
 public:
  AdminFrontend(const ProcessServices& process, const WorkerServices& worker,
                ControlShared& control)
      : shared_(control),
        keeps_history_(worker.number == 0),
        control_(control, worker.catalog, worker.recorder),
        upstream_(control, worker.catalog, worker.recorder, process.tokens),
        items_(process.operations, worker.catalog, worker.recorder),
        sandboxes_(process.operations, worker.catalog, worker.recorder),
        buses_(process.operations, worker.catalog, worker.recorder),
        configuration_(control, worker.catalog, worker.recorder),
        client_(worker.catalog, worker.recorder),
        tokens_(control, worker.catalog, worker.recorder),
        live_(control, worker.catalog),
        health_(process.operations),
        readiness_(process.operations, worker.catalog),
        metrics_(process.registry),
        approvals_(process.approvals, worker.catalog, worker.recorder),
        registrations_(process.registrars, worker.catalog, worker.recorder),
        sign_in_pages_(process.tokens, worker.authenticator, worker.catalog),
        sign_ins_control_(process.tokens, worker.catalog) {}

  std::vector<net::HttpRoute> routes() override {
    return {{"/health", "GET, HEAD", &health_, true},
            {"/ready", "GET, HEAD", &readiness_, true},
            {"/metrics", "GET, HEAD", &metrics_},
            {"/oauth/*", "GET, HEAD, POST", &sign_in_pages_, true},
            {"/control/v1/calls/live", "GET", &live_},
            {"/control/v1/clients/*", "DELETE", &client_},
            {"/control/v1/upstreams/*", "GET, HEAD, POST", &upstream_},
            {"/control/v1/tools-off", "GET, HEAD", &items_},
            {"/control/v1/tools/*", "POST", &items_},
            {"/control/v1/catalog/hidden", "GET, HEAD", &items_},
            {"/control/v1/pins", "GET, HEAD", &items_},
            {"/control/v1/pins/*", "POST", &items_},
            {"/control/v1/sandboxes", "GET, HEAD", &sandboxes_},
            {"/control/v1/sandboxes/*", "DELETE", &sandboxes_},
            {"/control/v1/buses", "GET, HEAD", &buses_},
            {"/control/v1/buses/*", "GET, HEAD", &buses_},
            {"/control/v1/tokens", "GET, HEAD, POST", &tokens_},
            {"/control/v1/tokens/*", "DELETE", &tokens_},
            {ConfigurationControl::kPath, "GET, HEAD", &configuration_},
            {ConfigurationControl::kCheckPath, "POST", &configuration_},
            {ConfigurationControl::kSchemaPath, "GET, HEAD", &configuration_},
            {ConfigurationControl::kFilePath, "GET, HEAD, PUT", &configuration_},
            {"/control/v1/*", "GET, HEAD", &control_},
            {"/control/recent", "GET, HEAD", &control_},
            {"/control/sign-ins/*", "GET, HEAD, POST, DELETE", &sign_ins_control_},
            {"/control/approvals", "GET, HEAD", &approvals_},
            {"/control/approvals/*", "GET, HEAD, POST, DELETE", &approvals_},
            {"/control/registrations", "GET, HEAD, POST, PATCH", &registrations_},
            {"/control/registrations/*", "GET, HEAD, PATCH, DELETE", &registrations_},
            {"/control/registration/*", "GET, HEAD, PATCH, DELETE", &registrations_}};
  }

  // One worker is enough.
  void sweep() override {
    if (keeps_history_) shared_.history.tick(here().now());
  }

 private:
  ControlShared& shared_;
  const bool keeps_history_;
  ControlApi control_;
  UpstreamControl upstream_;
  CatalogControl items_;
  SandboxControl sandboxes_;
  BusControl buses_;
  ConfigurationControl configuration_;
  ClientControl client_;
  TokenControl tokens_;
  LiveCalls live_;
  HealthPage health_;
  ReadinessPage readiness_;
  MetricsPage metrics_;
  ApprovalsPage approvals_;
  RegistrationsPage registrations_;
  SignInPages sign_in_pages_;
  SignInsControl sign_ins_control_;
};

}  // namespace

void SharedAdminFrontend::update(const AdminSettings& settings) {
  control_.live_streams.set_most(settings.live_streams, settings.live_streams_of_caller);
  control_.live_calls_per_second = settings.live_calls_per_second;
  // The quota below refuses what is too much. A query that has just been answered may still count
  // as one here.
  control_.audit_threads.set_bounds(settings.audit_queries,
                                    settings.audit_queries + settings.queued_audit_queries);
  const auto queries =
      static_cast<std::size_t>(settings.audit_queries + settings.queued_audit_queries);
  control_.audit_queries.set_most(queries, settings.audit_queries_of_caller);
  // One runs.
  control_.job_threads.set_bounds(1, 1 + settings.queued_admin_jobs);
  control_.jobs.set_most(1 + static_cast<std::size_t>(settings.queued_admin_jobs), 0);
  control_.history.set_max_upstreams(settings.upstreams_with_history);
}

std::unique_ptr<Frontend> SharedAdminFrontend::make(const WorkerServices& worker) {
  return std::make_unique<AdminFrontend>(services_, worker, control_);
}

std::vector<SharedFrontend::Entrance> SharedAdminFrontend::entrances() const {
  return {{"operations", {"/health", "/ready", "/metrics"}}};
}

}  // namespace patchbay::frontends
