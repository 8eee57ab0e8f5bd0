// How a gateway takes up a configuration that has changed, and what of it all workers share.
#include <algorithm>
#include <iterator>
#include <utility>

#include "app/gateway.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

// What cannot change while the gateway runs.
bool needs_restart(const Settings& now, const Settings& next) {
  const auto tls_listen = [](const Settings& of) { return of.tls ? of.tls->listen : ""; };
  const auto wire_listen = [](const Settings& of) {
    return of.wire ? of.wire->tcp + (of.wire->tls ? " tls" : "") : "";
  };
  return next.listen != now.listen || next.workers != now.workers || next.state != now.state ||
         tls_listen(next) != tls_listen(now) || wire_listen(next) != wire_listen(now);
}

}  // namespace

// The file of the configuration, and those that the TLS listener uses.
void Gateway::watch_files() {
  if (configuration_.file.empty()) return;
  std::vector<std::string> files{configuration_.file};
  if (const auto& tls = configuration_.settings.tls)
    std::ranges::copy(tls_files(*tls), std::back_inserter(files));
  if (const auto& wire = configuration_.settings.wire; wire && wire->tls)
    std::ranges::copy(tls_files(*wire->tls), std::back_inserter(files));
  if (files == watched_) return;
  watched_ = std::move(files);
  watch_.emplace(watched_, [this] { reloads_.spawn(reload("a file has changed")); });
}

// Reads the file again. A bad one changes nothing; of a good one, what can change while running
// does, and what cannot is said.
Task<void> Gateway::reload(std::string why) {
  if (stopping_ || configuration_.file.empty()) co_return ok();
  if (reloading_) {
    reload_again_ = true;
    co_return ok();
  }
  auto next = next_configuration();
  if (!next) co_return ok();
  if (next->digest == configuration_.digest) {
    if (why == kHangup) upstreams_->reread();
    co_return ok();
  }
  if (needs_restart(configuration_.settings, next->settings)) {
    log::Line(log::Level::warn, "restart needed")
        .add("keys", "listen, tls.listen, wire.tcp, wire.tls, workers, state");
  }
  log::Line(log::Level::info, "reload").add("why", why).add("digest", next->digest);
  reloading_ = true;
  auto used = co_await use(*std::move(next));
  log::Line(log::Level::info, "reloaded").add("digest", configuration_.digest);
  reloading_ = false;
  if (std::exchange(reload_again_, false)) co_return co_await reload("the file changed again");
  co_return used;
}

// What the file says now; nothing, and the log says why, if that will not do.
std::optional<Configuration> Gateway::next_configuration() {
  config::Faults faults;
  Configuration next = load_configuration(configuration_.file, overrides_, faults);
  for (const auto& fault : faults) {
    log::Line(log::Level::error, "reload refused").add("fault", config::to_string(fault));
  }
  if (!faults.empty()) return std::nullopt;
  // Listeners stay where they are, whatever the file says about them now.
  if (is_reachable() && !next.settings.auth.on()) {
    log::Line(log::Level::error, "reload refused")
        .add("fault",
             "other machines can reach the listener, so `auth` cannot go without a restart");
    return std::nullopt;
  }
  return next;
}

Task<void> Gateway::use(Configuration next) {
  configuration_ = std::move(next);
  const Settings& settings = configuration_.settings;
  use_limits();
  use_sign_ins();
  auto update = [this, &settings](Worker& worker) -> Task<void> {
    worker.update(settings);
    worker.catalog().set_rules(configuration_.rules);
    if (configuration_.tls) worker.update_tls(configuration_.tls);
    if (configuration_.wire_tls) worker.update_wire_tls(configuration_.wire_tls);
    co_return ok();
  };
  auto updated = co_await on_each_worker(update);
  if (watch_) watch_files();
  auto known = auth_.apply(settings.auth);
  if (!known) log::Line(log::Level::error, "auth not reloaded").add("why", known.error().message);
  co_return co_await upstreams_->apply(configuration_);
}

// What all workers share and a reload may change.
void Gateway::use_limits() {
  const Settings& settings = configuration_.settings;
  log::configure(settings.log.level, settings.log.format);
  log::show_messages(settings.log.messages);
  common_.limiter.set_most(settings.limits.calls);
  const auto& rates = settings.limits.rates;
  // What callers have used up stays so unless the rows have changed.
  if (rates != (common_.rates ? common_.rates->rows() : std::vector<policy::RateSettings>())) {
    const auto keys = static_cast<std::size_t>(settings.limits.rate_keys);
    common_.rates = rates.empty() ? nullptr : std::make_shared<policy::Rates>(rates, keys);
  }
  const frontends::WireSettings wire = settings.wire.value_or(WireSection());
  if (!common_.wire_terms || common_.wire_terms->settings != wire) {
    const auto keys = static_cast<std::size_t>(settings.limits.rate_keys);
    common_.wire_terms = std::make_shared<frontends::WireTerms>(wire, keys);
  }
  common_.wire.replay.update(
      {std::chrono::seconds(wire.replay_window_s), static_cast<std::size_t>(wire.replay_ids)});
  const auto& audit = settings.audit;
  if (audit != (common_.audit ? common_.audit->settings() : policy::AuditSettings())) {
    common_.audit = audit.on() ? std::make_shared<policy::AuditLog>(audit) : nullptr;
  }
  common_.kept_results.set_bounds({settings.limits.kept_results.value,
                                   settings.limits.kept_page.value, settings.limits.kept_time});
  common_.asking.most = settings.limits.parked;
  common_.door.failures.update(settings.auth.failures);
  common_.door.verifying.set_bounds(settings.auth.verifying, settings.auth.waiting);
  common_.approvals.set(settings.approvals);
  if (configuration_.rules && !configuration_.rules->mentions_local() && !settings.auth.on()) {
    log::Line(log::Level::warn, "no rule is about local callers")
        .add("hint", "nobody is asked who they are, and may use nothing; see the role local");
  }
  auto& sessions = common_.mcp_http.sessions;
  sessions.most = static_cast<std::size_t>(settings.limits.sessions);
  sessions.idle = std::chrono::duration_cast<Clock::duration>(settings.limits.session_idle).count();
}

}  // namespace patchbay::app
