// How a gateway applies a changed configuration, and the shared state of workers that follows from
// it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/gateway.h"
#include "app/weakening.h"
#include "config/file.h"
#include "config/load.h"
#include "core/discard.h"
#include "core/file_stamp.h"
#include "core/shares.h"
#include "net/process/stderr_tails.h"
#include "observe/log.h"
#include "observe/memory.h"

namespace patchbay::app {
namespace {

// After this many attempts to read files that keep changing, a warning is logged.
constexpr int kAttemptsUnsaid = 30;

// The files of a configuration at one moment.
struct Snapshot {
  std::vector<FileStamp> stamps;
  std::string text;  // The digest of the configuration itself.
  bool operator==(const Snapshot&) const = default;
};

Snapshot snapshot(const Configuration& configuration) {
  auto text = config::read_file(configuration.file, config::kMaxFile);
  return {stamps_of(configuration.files), text ? *std::move(text) : ""};
}

// Settings that differ and cannot change while the gateway runs.
std::vector<std::string_view> needing_restart(const Configuration& current,
                                              const Configuration& next) {
  const Settings& was = current.settings;
  const Settings& is = next.settings;
  std::vector<std::string_view> keys;
  const auto add = [&keys](std::string_view key, bool differs) {
    if (differs) keys.push_back(key);
  };
  const auto tls_listen = [](const Settings& of) { return of.tls ? of.tls->listen : ""; };
  add("listen", is.listen != was.listen);
  add("tls.listen", tls_listen(is) != tls_listen(was));
  for (const auto& kind : frontend_kinds()) {
    if (!kind.listener) continue;
    const auto before = kind.listener(current);
    const auto after = kind.listener(next);
    const auto& named = after ? after : before;
    if (!named) continue;
    const auto none = FrontendListener{};
    add(named->address_key, before.value_or(none).address != after.value_or(none).address);
    add(named->tls_key, before.value_or(none).tls != after.value_or(none).tls);
  }
  add("workers", is.workers != was.workers);
  add("state", is.state != was.state);
  add("cluster.store", is.cluster.store != was.cluster.store);
  add("cluster.redis", is.cluster.redis != was.cluster.redis);
  return keys;
}

// The sections that differ; upstreams are listed one by one: "limits, upstreams.a (new)".
std::string differences(const Configuration& current, const Configuration& next) {
  constexpr std::size_t kMost = 1000;  // Bytes; the rest is left out.
  std::string text;
  const auto add = [&text](std::string_view section, std::string_view how) {
    if (text.size() < kMost) text += fmt::format("{}{}{}", text.empty() ? "" : ", ", section, how);
  };
  for (const auto& [section, digest] : next.sections) {
    const auto before = current.sections.find(section);
    if (before == current.sections.end()) {
      add(section, " (new)");
    } else if (before->second != digest) {
      add(section, "");
    }
  }
  for (const auto& [section, digest] : current.sections) {
    if (!next.sections.contains(section)) add(section, " (gone)");
  }
  return text;
}

// Whether `text` is the beginning of `whole`, up to some place within a line.
bool ends_within_a_line_of(std::string_view text, std::string_view whole) {
  if (text.empty() || text.size() >= whole.size() || !whole.starts_with(text)) return false;
  const bool at_end =
      text.back() == '\n' || whole[text.size()] == '\n' || whole[text.size()] == '\r';
  return !at_end;
}

// How much of a total one caller may hold; by default a quarter.
void bound_share(ShareOf what, int configured, int total) {
  constexpr int kLeast = 16;
  const int most = configured > 0 ? configured : std::max(kLeast, total / 4);
  shares().set_most(what, static_cast<std::size_t>(most), configured > 0);
}

void bound_shares(const LimitSettings& limits) {
  const int open = limits.connections;
  bound_share(ShareOf::connections, limits.max_connections_per_address, open);
  bound_share(ShareOf::sessions, limits.max_sessions_per_caller, limits.sessions);
  bound_share(ShareOf::streams, limits.max_streams_per_caller, open);
  bound_share(ShareOf::websockets, limits.max_websockets_per_caller, open);
  bound_share(ShareOf::parked_calls, limits.max_parked_per_caller, limits.parked);
}

}  // namespace

EditedGateway Gateway::as_edited() {
  return {configuration_, overrides_, reload_gate_,
          [this](const Configuration& next) { return reasons_against(next); },
          [this](std::string why) { reloads_.spawn(reload(std::move(why))); }};
}

// All files that the configuration was read from.
void Gateway::watch_files() {
  if (configuration_.file.empty() || configuration_.files == watched_) return;
  watched_ = configuration_.files;
  watch_.emplace(watched_, [this] { reloads_.spawn(reload("a file has changed")); });
}

// Reads the file again. An invalid file changes nothing. From a valid one, every setting that can
// change while running is applied, and the others are logged.
Task<void> Gateway::reload(std::string why) {
  if (stopping_ || configuration_.file.empty()) co_return ok();
  if (std::exchange(reloading_, true)) {
    // A signal also makes upstreams read their own files again, so a later file change must not
    // replace it.
    if (reload_again_ != kHangup) reload_again_ = std::move(why);
    co_return ok();
  }
  const Gate::Pass pass(reload_gate_);
  Result<void> done;
  do {
    reload_again_.clear();
    done = co_await reload_once(why);
    why = reload_again_;
  } while (!why.empty() && !stopping_);
  reloading_ = false;
  if (switched_) done = co_await apply_switches();
  co_return done;
}

// Starts and stops upstreams as admins have switched them. A reload in progress does so at its end.
Task<void> Gateway::apply_switches() {
  switched_ = true;
  if (reloading_ || stopping_) co_return ok();
  reloading_ = true;
  const Gate::Pass pass(reload_gate_);
  Result<void> applied;
  while (std::exchange(switched_, false) && !stopping_) {
    applied = co_await upstreams_->apply(configuration_);
  }
  reloading_ = false;
  auto why = std::exchange(reload_again_, "");
  if (!why.empty()) co_return co_await reload(std::move(why));
  co_return applied;
}

Task<void> Gateway::reload_once(const std::string& why) {
  // The watch may report again a change that has already been refused.
  const bool known = !refused_.empty() && stamps_of(configuration_.files) == refused_;
  if (known && why != kHangup) co_return ok();
  auto next = co_await next_configuration(why);
  if (!next && !stopping_ && !refused_.empty()) count_reload(false);
  if (!next || stopping_) co_return ok();
  if (next->digest == configuration_.digest) {
    configuration_.text = std::move(next->text);  // It may have other comments.
    report_.use(configuration_, overrides_);
    if (why == kHangup) upstreams_->reread();
    co_return ok();
  }
  const auto keys = needing_restart(configuration_, *next);
  if (!keys.empty()) {
    log::Line(log::Level::warn, "restart needed")
        .add("keys", fmt::format("{}", fmt::join(keys, ", ")));
  }
  const std::string changed = differences(configuration_, *next);
  log::Line(log::Level::info, "reload")
      .add("why", why)
      .add("changed", changed)
      .add("digest", next->digest);
  log_notes(next->notes);
  log_warnings(next->warnings);
  service_manager_.reloading();
  auto used = co_await use(*std::move(next));
  service_manager_.ready();
  count_reload(true);
  report_.add_reload(why, true, {changed});
  log::Line(log::Level::info, "reloaded").add("digest", configuration_.digest);
  co_return used;
}

// The configuration as it is in the files now. If it is refused, the log and /ready give the
// reason.
Task<Configuration> Gateway::next_configuration(const std::string& why) {
  config::Faults faults;
  std::vector<FileStamp> stamps;
  auto next = co_await read_stable(faults, stamps);
  if (!next) co_return next.error();
  std::vector<std::string> reasons;
  for (const auto& fault : faults) reasons.push_back(config::to_string(fault));
  if (reasons.empty()) reasons = reasons_against(*next);
  for (const auto& reason : reasons) {
    log::Line(log::Level::error, "reload refused").add("fault", reason);
  }
  const bool refused = !reasons.empty();
  if (refused) report_.add_reload(why, false, reasons);
  if (!refused && !refused_.empty()) {
    log::Line(log::Level::info, "configuration mended").add("file", configuration_.file);
  }
  refused_ = refused ? std::move(stamps) : std::vector<FileStamp>();
  refusals_.set(configuration_.file, std::move(reasons));
  if (refused) co_return Error{Code::invalid_params, "the new configuration was refused"};
  co_return next;
}

// Editors and tools write in place, so a file can be empty or truncated for a moment. The files are
// used once none of them has changed for a while.
Task<Configuration> Gateway::read_stable(config::Faults& faults, std::vector<FileStamp>& stamps) {
  for (int attempt = 1;; ++attempt) {
    const auto before = snapshot(configuration_);
    stamps = before.stamps;
    auto waited =
        co_await sleep_until(here().now() + configuration_.settings.reload.stable_interval);
    if (!waited) co_return waited.error();
    if (stopping_) co_return Error{Code::cancelled, "the gateway is stopping"};
    faults.clear();
    Configuration next = load_configuration(configuration_.file, overrides_, faults);
    if (snapshot(configuration_) == before) co_return next;
    if (attempt == kAttemptsUnsaid) {
      log::Line(log::Level::warn, "reload waits").add("why", "the files keep changing");
    }
  }
}

// Why a configuration without faults is refused.
std::vector<std::string> Gateway::reasons_against(const Configuration& next) const {
  const std::string& file = configuration_.file;
  if (next.blank && !configuration_.blank) {
    return {file + ": is empty; a gateway with the defaults needs a restart"};
  }
  // Whatever it still has may mean something else: `files.*` for `files.*_public`.
  if (ends_within_a_line_of(next.text, configuration_.text)) {
    return {file + ": is cut off; it ends in the middle of a line of the running configuration"};
  }
  // Listeners do not change, whatever the new file has.
  if (is_reachable() && !next.settings.auth.on()) {
    return {file +
            ": other machines can reach the listener, so `auth` cannot go without a restart"};
  }
  auto reasons = weakenings(configuration_, next);
  if (configuration_.settings.reload.allow_weaker) {
    for (const auto& reason : reasons) {
      log::Line(log::Level::warn, "reload weakens").add("what", reason);
    }
    return {};
  }
  for (auto& reason : reasons) {
    reason = fmt::format("{}: {}; restart the gateway, or run it with reload.allow_weaker", file,
                         reason);
  }
  return reasons;
}

Task<void> Gateway::use(Configuration next) {
  configuration_ = std::move(next);
  digest_.set(configuration_.digest);
  report_.use(configuration_, overrides_);
  const Settings& settings = configuration_.settings;
  use_limits();
  state_->update(settings);
  resize_histories();
  use_sign_ins();
  const auto kinds = frontend_kinds();
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    kinds[row].update(*common_.frontends[row], configuration_);
  }
  auto update = [this, &settings](Worker& worker) -> Task<void> {
    worker.update(settings);
    worker.catalog().set_rules(configuration_.rules);
    if (configuration_.tls) worker.update_tls(configuration_.tls);
    co_return ok();
  };
  auto updated = co_await on_each_worker(update);
  discard(updated, "applying settings on a worker cannot fail");
  const auto watched = watched_;
  if (watch_) watch_files();
  // The files may have changed before they were watched.
  if (watched_ != watched && reload_again_.empty()) reload_again_ = "a file may have changed";
  auto known = auth_.apply(settings.auth);
  if (!known) log::Line(log::Level::error, "auth not reloaded").add("why", known.error().message);
  auto exporting = co_await telemetry_.apply(settings.telemetry, configuration_.collector);
  discard(exporting, "what could not be sent is counted");
  look_for_problems();
  co_return co_await upstreams_->apply(configuration_);
}

// REQUIRES: all workers exist.
void Gateway::resize_histories() {
  const int recent = configuration_.settings.telemetry.max_recent_calls;
  common_.histories.resize(static_cast<std::size_t>(recent));
}

// The state that all workers share and a reload may change.
void Gateway::use_limits() {
  const Settings& settings = configuration_.settings;
  log::configure(settings.log.level, settings.log.format);
  log::log_messages(settings.log.messages);
  memory::set_most(settings.limits.memory.value);
  bound_shares(settings.limits);
  common_.limiter.set_most(settings.limits.calls);
  const auto& rates = settings.limits.rates;
  if (rate_exchange_) rate_exchange_->set_interval(settings.cluster.rates_interval);
  // The counts of callers are preserved unless the rows change.
  if (rates != (common_.rates ? common_.rates->rows() : std::vector<policy::RateSettings>())) {
    const auto keys = static_cast<std::size_t>(settings.limits.rate_keys);
    common_.rates =
        rates.empty() ? nullptr : std::make_shared<policy::Rates>(rates, keys, &common_.registry);
    if (rate_exchange_) rate_exchange_->use(common_.rates);
  }
  const auto& audit = settings.audit;
  if (audit != (common_.audit ? common_.audit->settings() : policy::AuditSettings())) {
    common_.audit =
        audit.on() ? std::make_shared<policy::AuditLog>(audit, common_.audit_counts) : nullptr;
  }
  common_.stored_results.set_bounds({settings.limits.stored_results.value,
                                     settings.limits.stored_page.value,
                                     settings.limits.stored_time});
  run_time_.set_most_tools_off(static_cast<std::size_t>(settings.limits.max_tools_off));
  upstreams::stderr_tails().set_max_lines(
      static_cast<std::size_t>(settings.limits.stored_stderr_lines));
  common_.asking.most = settings.limits.parked;
  common_.asking.most_questions = settings.limits.max_questions_per_call;
  common_.authenticator.failures.update(settings.auth.failures);
  common_.authenticator.verifying.set_bounds(settings.auth.verifying, settings.auth.waiting);
  policy::ApprovalSettings approvals = settings.approvals;
  if (!approvals.elicit) approvals.elicit = !settings.auth.on();
  common_.approvals.set(approvals);
  if (configuration_.rules && !configuration_.rules->mentions_local() && !settings.auth.on()) {
    log::Line(log::Level::warn, "no rule is about local callers")
        .add("hint",
             "callers are not authenticated, and the rules allow them nothing; see the role local");
  }
}

}  // namespace patchbay::app
