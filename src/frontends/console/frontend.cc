#include "frontends/console/frontend.h"

#include "frontends/console/pages.h"
#include "frontends/console/session_page.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

class ConsoleFrontend final : public Frontend {
 public:
  ConsoleFrontend(const SharedConsoleFrontend& shared, const WorkerServices& worker)
      : shared_(shared),
        authenticator_(worker.authenticator),
        pages_(worker.authenticator),
        entrance_(pages_, worker.authenticator),
        session_(worker.authenticator, worker.catalog, worker.recorder),
        oidc_(worker.authenticator, session_) {
    apply();
  }

  std::vector<net::HttpRoute> routes() override {
    return {{"/", "*", &entrance_, true},
            {"/console", "GET, HEAD", &pages_, true},
            {"/console/*", "GET, HEAD", &pages_, true},
            {"/console/api/session", "GET, HEAD, POST, DELETE", &session_, true},
            {"/console/api/oidc", "GET", &oidc_, true},
            {"/console/api/oidc/callback", "GET", &oidc_, true}};
  }

  void update() override { apply(); }
  void sweep() override { authenticator_.sessions().sweep(); }

 private:
  void apply() {
    const ConsoleSettings& settings = shared_.settings();
    authenticator_.sessions().set_bounds(
        {settings.session_timeout, static_cast<std::size_t>(settings.max_sessions),
         static_cast<std::size_t>(settings.max_sessions_per_caller)},
        settings.enabled);
    pages_.set_enabled(settings.enabled);
    session_.update(settings.enabled, shared_.oidc() != nullptr, settings.session_timeout);
    oidc_.update(settings.enabled, shared_.oidc());
  }

  const SharedConsoleFrontend& shared_;
  RequestAuthenticator& authenticator_;
  ConsolePages pages_;
  ConsoleEntrance entrance_;
  SessionPage session_;
  OidcPage oidc_;
};

}  // namespace

// The files were readable when the configuration was checked; if one is not any more, nobody can
// sign in there, and everything else goes on.
std::shared_ptr<const OidcClient> SharedConsoleFrontend::make_oidc() const {
  const auto& settings = settings_.console.oidc;
  if (!settings || !settings_.console.enabled) return nullptr;
  oauth::Settings access;
  access.issuer = settings->issuer;
  access.ca = settings->ca;
  access.fetch_time = settings->fetch_time;
  access.answer = settings->answer;
  auto url = net::parse_url(settings->issuer);
  auto fetcher = url ? oauth::Fetcher::make(access, *url)
                     : Result<std::shared_ptr<const oauth::Fetcher>>(url.error());
  auto sealer = policy::Sealer::random();
  if (!fetcher || !sealer) {
    log::Line(log::Level::error, "nobody can sign in to the console at the issuer")
        .add("issuer", settings->issuer)
        .add("why", fetcher ? sealer.error().message : fetcher.error().message);
    return nullptr;
  }
  return std::make_shared<const OidcClient>(
      OidcClient{*settings, settings_.base, *std::move(fetcher), *sealer});
}

void SharedConsoleFrontend::update(ConsoleFrontendSettings settings) {
  // Who is on the way to the issuer comes back to the same client.
  const bool same = settings.console.oidc == settings_.console.oidc &&
                    settings.console.enabled == settings_.console.enabled &&
                    settings.base == settings_.base;
  settings_ = std::move(settings);
  if (!same) oidc_ = make_oidc();
}

std::unique_ptr<Frontend> SharedConsoleFrontend::make(const WorkerServices& worker) {
  return std::make_unique<ConsoleFrontend>(*this, worker);
}

std::vector<SharedFrontend::Entrance> SharedConsoleFrontend::entrances() const {
  if (!settings_.console.enabled) return {};
  return {{"console", {"/console/"}}};
}

}  // namespace patchbay::frontends
