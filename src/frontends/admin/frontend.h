// The frontend for operators and admins: health, readiness and metrics, the control API with
// approvals and registrations, and signing in to upstreams.
//
// See frontends/frontend.h for threads.
#pragma once

#include "frontends/admin/control_api.h"
#include "frontends/admin/settings.h"
#include "frontends/frontend.h"

namespace patchbay::frontends {

class SharedAdminFrontend final : public SharedFrontend {
 public:
  SharedAdminFrontend(const AdminSettings& settings, const ProcessServices& services)
      : services_(services),
        control_{services.operations,
                 services.histories,
                 services.approvals,
                 services.members,
                 Load([&registry = services.registry] { return registry.render(); }, Clock::now()),
                 LoadHistory([&registry = services.registry] { return history_load(registry); })} {
    update(settings);
  }

  void update(const AdminSettings& settings);

  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;
  std::vector<Entrance> entrances() const override;

 private:
  const ProcessServices services_;
  ControlShared control_;
};

}  // namespace patchbay::frontends
