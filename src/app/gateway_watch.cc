// The state that a running gateway watches: whether it is ready, problems of this machine, and
// listeners without TLS.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/gateway.h"
#include "app/problems.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

constexpr auto kAnnounceInterval = std::chrono::milliseconds(100);
// How often the requirements of the configuration are checked on this machine.
constexpr auto kProblemsInterval = std::chrono::seconds(30);

}  // namespace

// Other machines can reach a listener.
bool Gateway::is_reachable() const {
  const auto open = [](const net::Address& address) {
    return address.size > 0 && !address.loopback();
  };
  return open(plain_.address) || (secure_ && open(secure_->address)) ||
         std::ranges::any_of(frontend_listeners_,
                             [&](const auto& one) { return open(one.listening.address); });
}

// Prints `ready` as soon as /ready reports it.
Task<void> Gateway::announce() {
  for (bool printed = false;;) {
    const auto upstreams = upstreams_->report();
    const bool waits = std::ranges::any_of(
        upstreams, [](const auto& one) { return one.required && !one.state.up; });
    if (!waits) {
      banner_.print_ready(upstreams, buses_.banner(), plain_.address);
      co_return ok();
    }
    if (!std::exchange(printed, true)) banner_.print_waiting(upstreams);
    auto slept = co_await sleep_until(here().now() + kAnnounceInterval);
    if (!slept) co_return slept;
  }
}

// Logs problems that appeared or were solved since the last check.
void Gateway::look_for_problems() {
  const auto before = problems_.all();
  const auto now = find_problems(configuration_);
  const auto log_each = [](const auto& all, const auto& known, log::Level level, auto event) {
    for (const auto& problem : all) {
      if (std::ranges::find(known, problem) == known.end()) {
        log::Line(level, event).add("what", problem);
      }
    }
  };
  log_each(now, before, log::Level::warn, "problem");
  log_each(before, now, log::Level::info, "problem solved");
  problems_.set("", now);
  for (const auto& [setting, dates] : own_certificates(configuration_.settings)) {
    common_.registry
        .gauge("patchbay_certificate_expiry_timestamp_seconds",
               "When the gateway's own certificate expires, in seconds since 1970.",
               metrics::labels({{"setting", setting}}))
        ->set(dates.until.time_since_epoch().count());
  }
}

// Those of this machine, and of the store. Callable on any thread.
std::vector<std::string> Gateway::all_problems() const {
  std::vector<std::string> all = problems_.all();
  if (auto status = state_->store().status(); !status.problem.empty()) {
    all.push_back(std::move(status.problem));
  }
  return all;
}

// Certificates expire and files vanish while the gateway runs.
Task<void> Gateway::keep_looking_for_problems() {
  for (;;) {
    auto slept = co_await sleep_until(here().now() + kProblemsInterval);
    if (!slept) co_return slept;
    look_for_problems();
  }
}

// Each worker and the control thread must respond, or the service manager restarts the process.
Task<void> Gateway::ping_watchdog() {
  const auto interval = service_manager_.watchdog_interval();
  if (!interval) co_return ok();
  for (;;) {
    auto slept = co_await sleep_until(here().now() + *interval);
    if (!slept) co_return slept;
    auto nothing = [](Worker&) -> Task<void> { co_return ok(); };
    auto done = co_await on_each_worker(nothing);
    if (!done) co_return done;
    service_manager_.alive();
  }
}

void Gateway::warn_of_plain_listeners() const {
  const auto warn = [](const net::Address& address, std::string_view remedy) {
    log::Line(log::Level::warn, "credentials in the clear")
        .add("listen", address.text())
        .add("hint", fmt::format("other machines reach this listener without TLS; {}", remedy));
  };
  if (!plain_.address.loopback()) warn(plain_.address, "let them use tls.listen");
  for (const auto& [row, listener, listening] : frontend_listeners_) {
    if (!listener.tls && !listening.address.loopback()) {
      warn(listening.address, fmt::format("add {}", listener.tls_key));
    }
  }
}

}  // namespace patchbay::app
