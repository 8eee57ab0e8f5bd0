// The pages for operators and admins as a front end: health, readiness and metrics, approvals,
// registrations, and signing in to upstreams.
//
// See frontends/frontend.h for threads.
#pragma once

#include "frontends/frontend.h"

namespace patchbay::frontends {

class SharedAdminFrontend final : public SharedFrontend {
 public:
  explicit SharedAdminFrontend(const ProcessServices& services) : services_(services) {}

  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;
  std::vector<Entrance> entrances() const override;

 private:
  const ProcessServices services_;
};

}  // namespace patchbay::frontends
