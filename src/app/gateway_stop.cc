// How a gateway stops: the order in which its parts end.
#include <algorithm>

#include "app/gateway.h"
#include "core/discard.h"
#include "observe/log.h"

namespace patchbay::app {

Task<void> Gateway::stop() {
  stopping_ = true;
  auto left = co_await common_.members.leave();
  discard(left, "other nodes notice it by the lease");
  if (!replaced_) {
    auto announced = co_await announce_stop();
    discard(announced, "the gateway stops in any case");
  }
  close_listeners();
  upgrades_.cancel();
  auto upgraded = co_await upgrades_.drain(kNever);
  discard(upgraded, "an upgrade reports its own failure");
  if (replaced_) {
    auto finished = co_await finish_calls();
    discard(finished, "what has not finished by now has the time of every stop");
  }
  ready_ = false;  // For load balancers.
  const Deadline deadline = Clock::now() + configuration_.settings.stop.grace;
  log::Line(log::Level::info, "stopping").add("calls", common_.limiter.running());
  auto close = [](Worker& worker) -> Task<void> {
    worker.close();
    co_return ok();
  };
  auto closed = co_await on_each_worker(close);
  discard(closed, "closing a listener cannot fail");
  // From here on, no new connections.
  auto drain = [deadline](Worker& worker) { return worker.stop(deadline); };
  auto drained = co_await on_each_worker(drain);
  discard(drained, "each worker reports what it could not finish");
  // From here on, no calls in progress.
  left = co_await common_.members.stop();
  discard(left, "other nodes notice it by the lease");
  auto keys = co_await auth_.stop();
  discard(keys, "keys are not needed any more");
  auto stopped = co_await upstreams_->stop(Clock::now());
  auto asked = co_await tokens_.stop();
  discard(asked, "whatever ended the wait, the gateway stops");
  auto reloaded = co_await reloads_.drain(kNever);
  discard(reloaded, "a reload reports its own failure");
  auto unbussed = co_await buses_.stop();
  discard(unbussed, "the process ends anyway");
  log::Line(log::Level::info, "stopped");
  // Last, because it records what all others did.
  auto exported = co_await telemetry_.stop(std::max(deadline, Clock::now() + kLeastFlushTime));
  discard(exported, "what could not be sent is counted");
  co_return stopped;
}

// Load balancers need some time to notice that this gateway stops.
Task<void> Gateway::announce_stop() {
  service_manager_.stopping();
  ready_ = false;
  const std::chrono::nanoseconds time = configuration_.settings.stop.announce;
  if (time <= time.zero()) co_return ok();
  log::Line(log::Level::info, "stopping soon")
      .add("setting", "stop.announce_timeout")
      .add_ms("after", std::chrono::duration<double, std::milli>(time).count());
  auto announce = [](Worker& worker) -> Task<void> {
    worker.announce_stop();
    co_return ok();
  };
  auto announced = co_await on_each_worker(announce);
  if (!announced) co_return announced;
  co_return co_await sleep_until(here().now() + time);
}

}  // namespace patchbay::app
