// The console as a front end: its page, and signing in to it.
//
// See frontends/frontend.h for threads.
#pragma once

#include <memory>
#include <string>

#include "frontends/console/oidc_page.h"
#include "frontends/console/settings.h"
#include "frontends/frontend.h"

namespace patchbay::frontends {

struct ConsoleFrontendSettings {
  ConsoleSettings console;
  std::string base;  // At which browsers reach the gateway (sign_in.url); may be empty.
};

class SharedConsoleFrontend final : public SharedFrontend {
 public:
  SharedConsoleFrontend(ConsoleFrontendSettings settings, const ProcessServices&)
      : settings_(std::move(settings)), oidc_(make_oidc()) {}

  void update(ConsoleFrontendSettings settings);
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;
  std::vector<Entrance> entrances() const override;

  const ConsoleSettings& settings() const { return settings_.console; }
  const std::shared_ptr<const OidcClient>& oidc() const { return oidc_; }

 private:
  std::shared_ptr<const OidcClient> make_oidc() const;

  ConsoleFrontendSettings settings_;
  std::shared_ptr<const OidcClient> oidc_;  // Null: not configured.
};

}  // namespace patchbay::frontends
