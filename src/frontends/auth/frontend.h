// The frontend that serves the metadata of the gateway as an OAuth resource server. The
// RequestAuthenticator of the worker finds the callers of requests.
//
// See frontends/frontend.h for threads.
#pragma once

#include "frontends/frontend.h"
#include "policy/auth/settings.h"

namespace patchbay::frontends {

class SharedAuthFrontend final : public SharedFrontend {
 public:
  SharedAuthFrontend(policy::AuthSettings settings, const ProcessServices&)
      : settings_(std::move(settings)) {}

  void update(policy::AuthSettings settings) { settings_ = std::move(settings); }
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;

  const policy::AuthSettings& settings() const { return settings_; }

 private:
  policy::AuthSettings settings_;
};

}  // namespace patchbay::frontends
