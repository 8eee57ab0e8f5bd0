#include "upstreams/sandbox/pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::chrono::milliseconds kFirstPause{250};
constexpr std::chrono::milliseconds kLongestPause{30'000};
constexpr std::chrono::milliseconds kBreath{10};
constexpr std::chrono::seconds kPingTimeout{1};

double seconds_since(Deadline begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

SandboxCounters::SandboxCounters(metrics::Registry& registry, const std::string& upstream)
    : ready(registry.gauge("patchbay_sandbox_ready", "Sandboxes that wait for a caller.",
                           metrics::labels({{"upstream", upstream}}))),
      used(registry.gauge("patchbay_sandbox_used", "Sandboxes that belong to a caller.",
                          metrics::labels({{"upstream", upstream}}))),
      warm(registry.counter("patchbay_sandbox_handed_over_total",
                            "Sandboxes that were handed to a caller.",
                            metrics::labels({{"upstream", upstream}, {"pool", "warm"}}))),
      cold(registry.counter("patchbay_sandbox_handed_over_total",
                            "Sandboxes that were handed to a caller.",
                            metrics::labels({{"upstream", upstream}, {"pool", "cold"}}))),
      failed(registry.counter("patchbay_sandbox_failed_total", "Sandboxes that could not be made.",
                              metrics::labels({{"upstream", upstream}}))),
      destroyed(registry.counter("patchbay_sandbox_destroyed_total", "Sandboxes that were ended.",
                                 metrics::labels({{"upstream", upstream}}))),
      start_time(registry.histogram("patchbay_sandbox_start_seconds",
                                    "How long a sandbox took to be made.",
                                    metrics::labels({{"upstream", upstream}}))),
      registry_(registry),
      upstream_(upstream) {}

metrics::Counter& SandboxCounters::runs(std::string_view verdict) const {
  // The registry owns it.
  return *registry_.counter("patchbay_sandbox_runs_total", "Programs that were run, by their end.",
                            metrics::labels({{"upstream", upstream_}, {"verdict", verdict}}));
}

void SandboxPool::start() {
  if (settings_.pool.size > 0) filler_.spawn(keep_full());
}

Task<SandboxPool::Taken> SandboxPool::take(const SandboxLimits& limits, bool as_configured,
                                           Deadline deadline) {
  while (as_configured && !ready_.empty()) {
    auto guest = std::move(ready_.front());
    ready_.pop_front();
    counters_.ready->add(-1);
    auto well = co_await guest->agent().ask("ping", "{}", here().now() + kPingTimeout);
    changed_.deliver(ok());
    if (well) {
      counters_.warm->add();
      co_return Taken{std::move(guest), true};
    }
    discard(std::move(guest));
  }
  auto made = co_await make(limits, deadline);
  if (!made) co_return made.error();
  counters_.cold->add();
  co_return Taken{*std::move(made), false};
}

Task<std::shared_ptr<Guest>> SandboxPool::make(const SandboxLimits& limits, Deadline deadline) {
  deadline = std::min<Deadline>(deadline, here().now() + settings_.start_time);
  auto turn = co_await await_turn(deadline);
  if (!turn) co_return Error{turn.error().code, "no sandbox could be started in time"};
  const auto begin = Clock::now();
  std::shared_ptr<Guest> guest;
  auto greeted = co_await make_greeted(limits, deadline, guest);
  pass_turn();
  if (greeted) {
    counters_.start_time->observe(seconds_since(begin));
    co_return guest;
  }
  counters_.failed->add();
  if (guest) discard(std::move(guest));
  co_return greeted.error();
}

Task<void> SandboxPool::make_greeted(const SandboxLimits& limits, Deadline deadline,
                                     std::shared_ptr<Guest>& made) {
  auto guest = co_await engine_.start(limits, deadline);
  if (!guest) co_return guest.error();
  made = *std::move(guest);
  co_return co_await made->agent().greet(agent_token(settings_), deadline);
}

// Limits how many are started at once; the others wait in order.
Task<void> SandboxPool::await_turn(Deadline deadline) {
  if (starting_ < settings_.pool.starts) {
    ++starting_;
    co_return ok();
  }
  OneShot<void> turn;
  waiting_.push_back(&turn);
  auto came = co_await turn.wait(deadline);
  std::erase(waiting_, &turn);
  co_return came;
}

void SandboxPool::pass_turn() {
  while (!waiting_.empty()) {
    OneShot<void>* const next = waiting_.front();
    waiting_.pop_front();
    // A waiter that has just timed out is skipped, although it is still listed.
    if (next->delivered()) continue;
    next->deliver(ok());
    return;
  }
  --starting_;
}

Task<void> SandboxPool::keep_full() {
  while (!stopping_) {
    const auto missing = settings_.pool.size - static_cast<int>(ready_.size()) - filling_;
    for (int i = 0; i < missing && filling_ < settings_.pool.starts; ++i) {
      ++filling_;
      filler_.spawn(add_one());
    }
    changed_.reset();
    auto changed = co_await changed_.wait();
    if (!changed || stopping_) break;
    // The receiver of a sandbox is answered first.
    auto slept = co_await sleep_until(here().now() + std::max(pause_, kBreath));
    if (!slept) break;
  }
  co_return ok();
}

Task<void> SandboxPool::add_one() {
  auto made = co_await make(settings_.limits, here().now() + settings_.start_time);
  --filling_;
  if (!made && stopping_) co_return ok();
  if (!made) {
    pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
    log::Line(log::Level::warn, "no sandbox for the pool").add("why", made.error().message);
  } else if (stopping_) {
    discard(*std::move(made));
  } else {
    pause_ = std::chrono::milliseconds(0);
    ready_.push_back(*std::move(made));
    counters_.ready->add(1);
  }
  changed_.deliver(ok());
  co_return ok();
}

void SandboxPool::discard(std::shared_ptr<Guest> guest) {
  ending_.spawn(end_one(std::move(guest)));
}

Task<void> SandboxPool::end_one(std::shared_ptr<Guest> guest) {
  auto ended = co_await guest->end();
  counters_.destroyed->add();
  if (!ended) {
    log::Line(log::Level::error, "a sandbox did not end").add("why", ended.error().message);
  }
  co_return ok();
}

Task<void> SandboxPool::stop() {
  stopping_ = true;
  changed_.deliver(ok());
  // Also those being started: nothing waits for them any more, and they may never start.
  filler_.cancel();
  auto drained = co_await filler_.drain(kNever);
  for (auto& guest : std::exchange(ready_, {})) {
    counters_.ready->add(-1);
    discard(std::move(guest));
  }
  auto ended = co_await ending_.drain(kNever);
  co_return drained ? ended : drained;
}

}  // namespace patchbay::upstreams
