#include "upstreams/mcp/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "oauth/no_token.h"
#include "observe/log.h"
#include "upstreams/mcp/start_watch.h"

namespace patchbay::upstreams {
namespace {

using config::Duration;

// A call waits for a restart that is at most this far away; otherwise it fails at once.
constexpr Duration kWorthWaiting{1'000};
// The retry-after of a call whose upstream is being replaced.
constexpr Duration kRetryAfterStop{100};
// How often one call is repeated because the server had lost our session.
constexpr int kMostResends = 2;

}  // namespace

Instance::Instance(Parts parts)
    : loop_(parts.worker),
      upstream_(std::move(parts.upstream)),
      settings_(parts.settings),
      connector_(std::move(parts.connector)),
      owner_(parts.owner),
      counters_(parts.counters),
      restarts_(parts.restarts),
      lists_(parts.lists),
      task_prefix_(std::move(parts.task_prefix)),
      since_(std::chrono::system_clock::now()),
      last_used_(Clock::now()),
      handshake_mode_(handshake_mode_for(settings_.protocol.revision)) {}

Task<void> Instance::start() {
  if (started_) co_return ok();
  prepare();
  co_return co_await first_attempt_.wait();
}

void Instance::prepare() {
  if (stopping_ || std::exchange(started_, true)) return;
  scope_.spawn(keep_running());
}

Task<mcp::Reply> Instance::answer(const gateway::Call& call, std::string_view target,
                                  Deadline asked) {
  Deadline deadline = call.deadline;
  last_used_ = here().now();
  if (!started_) {
    auto started = co_await start();
    discard(started, "if it did not come up, the call fails below");
  }
  for (int resends = 0;; ++resends) {
    if (!up() && worth_waiting()) {
      auto waited = co_await wait_until_up(deadline);
      if (!waited && waited.error().code == Code::cancelled) co_return waited.error();
    }
    if (!up() && stopping_) co_return leaving();
    if (!up() && denied_) co_return *denied_;
    if (!up()) {
      Error down{Code::unavailable, fmt::format("the upstream {} is down: {}", upstream_, detail_)};
      const auto wait = std::chrono::ceil<Duration>(next_attempt_ - here().now());
      if (wait > Duration(0)) set_retry_after(down, wait);
      co_return down;
    }
    if (resends == 0) {
      const auto waited = std::chrono::duration<double>(here().now() - asked).count();
      counters_.queue_time->observe(waited);
    }
    const int renewals = renewals_;
    Result<mcp::Reply> reply;
    {
      const Use use(*this, call.method);
      reply = co_await run_->link.ask(call, target, deadline);
    }
    last_used_ = here().now();
    // Messages that the server did not accept because it had lost our session are sent again.
    const bool lost = renewing_ || renewals_ != renewals;
    const bool again = !reply && reply.error().code == Code::unavailable && lost;
    if (!again || resends == kMostResends) co_return reply;
    call.trace.enter(trace::Stage::queue);
  }
}

// The upstream is being replaced, or the gateway ends. Nothing was sent, so the call may be
// repeated. If a reload has replaced the upstream, the new one answers it.
Error Instance::leaving() const {
  Error error{
      Code::unavailable,
      fmt::format("the upstream {} is being stopped or replaced: make the call again", upstream_)};
  set_retry_after(error, kRetryAfterStop);
  return error;
}

Task<void> Instance::restart() {
  if (!started_ || stopping_) co_return ok();
  exits_.clear();
  slow_starts_ = 0;
  restarting_ = true;
  if (resting_) resting_->request();
  if (run_) run_->link.fail_all({Code::upstream_failed, "the upstream was restarted"});
  if (closed_) closed_->deliver(std::string("restarted"));
  co_return ok();
}

// Until the next attempt is due.
Task<void> Instance::rest() {
  if (std::exchange(restarting_, false)) co_return ok();
  Stop stop;
  const StopLink link(&stop_restarts_, stop);
  resting_ = &stop;
  auto resting = connector_->rest(next_attempt_);
  auto rested = co_await resting.with_stop(stop);
  resting_ = nullptr;
  restarting_ = false;
  co_return rested;
}

Task<void> Instance::stop(Deadline deadline) {
  stopping_ = true;
  stop_restarts_.request();
  notify_waiters();
  auto idle = co_await in_use_.wait_empty(deadline);
  discard(idle, "past the deadline the calls fail when the link ends");
  // Whatever the instance is doing ends now, including a handshake.
  if (run_) run_->link.fail_all({Code::upstream_failed, "the upstream was stopped"});
  if (closed_) closed_->deliver(std::string("the upstream is stopping"));
  co_return co_await scope_.drain(kNever);
}

// Runs the connection repeatedly, with pauses between the runs.
Task<void> Instance::keep_running() {
  for (bool first = true; !stopping_; first = false) {
    if (!first) restarts_.add();
    const HandshakeMode tried = handshake_mode_;
    auto ran = co_await run_once();
    if (stopping_) break;
    if (denied_ && oauth::wants_sign_in(*denied_)) {
      auto waited = co_await wait_for_person();
      discard(waited, "the loop checks why it ended early");
      continue;
    }
    // Some servers exit when they get a request before the handshake. Omitting that request solves
    // it.
    if (exits_.empty() && tried == HandshakeMode::ask &&
        handshake_mode_ == HandshakeMode::session_based && !was_up_) {
      exits_.push_back(here().now());
      continue;
    }
    exits_.push_back(here().now());
    const Duration pause = next_pause();
    next_attempt_ = here().now() + pause;
    const std::string why = ran ? "ended" : ran.error().message;
    set_state(false, breaker_open_ ? fmt::format("{} (breaker open: {} exits, next try in {} ms)",
                                                 why, exits_.size(), pause.count())
                                   : why);
    auto resting = rest();
    auto rested = co_await resting;
    discard(rested, "the loop checks why it ended early");
  }
  set_state(false, "stopped");
  co_return ok();
}

// The server itself has no problem, so the attempt does not count as a failure.
Task<void> Instance::wait_for_person() {
  next_attempt_ = here().now() + settings_.restart.most;
  if (detail_ != denied_->message) set_state(false, denied_->message);
  notify_waiters();
  auto resting = rest();
  co_return co_await resting;
}

// One run: connect, handshake, list, then wait for the end. Yields the reason of the end.
Task<void> Instance::run_once() {
  starting_ = true;
  was_up_ = false;
  auto begun = co_await begin_in_time();
  starting_ = false;
  denied_.reset();
  if (!begun && oauth::lacks_token(begun.error())) denied_ = begun.error();
  if (!run_) co_return begun;
  std::string why;
  if (begun) {
    was_up_ = true;
    slow_starts_ = 0;
    set_state(true, "");
    auto closed = co_await wait_for_end();
    why = closed.error().message;
  } else {
    why = begun.error().message;
  }
  set_up(false);
  if (!stopping_) {
    auto reason = co_await run_->connection->reason(why);
    if (reason) why = *std::move(reason);
  }
  auto over = co_await end_run();
  if (!over) co_return over;
  co_return Error{Code::upstream_failed, why};
}

// Starts as long as the server shows progress. A server that takes too long gets twice the time in
// the next attempt: if it were ended at the same point each time, it would never start.
Task<void> Instance::begin_in_time() {
  const Duration most = std::max(settings_.max_start_time, settings_.start_time);
  Duration allowed = settings_.start_time;
  for (int i = 0; i < slow_starts_ && allowed < most; ++i) allowed *= 2;
  allowed = std::min(allowed, most);
  const bool watched = connector_->shows_progress();
  const Deadline deadline = here().now() + (watched ? most : allowed);
  Stop stop;
  const StopLink link(&stop_restarts_, stop);
  std::optional<StartWatch> watch;
  auto last_output = [this] { return run_ ? run_->connection->last_output() : Deadline(); };
  if (watched) watch.emplace(upstream_, allowed, last_output, stop);
  auto beginning = begin(deadline);
  auto begun = co_await beginning.with_stop(stop);
  const bool stalled = watch && watch->expired();
  const bool too_late = !begun && begun.error().code == Code::timeout && here().now() >= deadline;
  if (begun || stopping_ || !(stalled || too_late)) co_return begun;
  ++slow_starts_;
  const bool reached_most = too_late && watched;
  co_return Error{
      Code::timeout,
      fmt::format("it did not start within {} ms ({})", (reached_most ? most : allowed).count(),
                  reached_most || allowed == most ? "max_start_timeout" : "start_timeout")};
}

// Tries the transports for the server until one works. If none does, reports the outcome of each.
Task<void> Instance::begin(Deadline deadline) {
  for (std::string earlier;;) {
    auto connection = co_await connector_->connect(deadline);
    if (!connection) {
      const Error& fault = connection.error();
      co_return Error{fault.code, earlier + fault.message, fault.data};
    }
    closed_.emplace();
    McpLink::Events& events = *this;
    run_.emplace(*std::move(connection), events, counters_, task_prefix_, settings_);
    auto opened = co_await open(deadline);
    if (opened) co_return co_await take_up_work(deadline);
    const Error why{opened.error().code, earlier + opened.error().message, opened.error().data};
    if (stopping_ || !run_->connection->misunderstood()) co_return why;
    if (!connector_->try_next_candidate()) co_return why;
    earlier = why.message + "; ";
    // A stop must not leave a part of the run behind.
    auto ending = end_run();
    auto over = co_await ending.shielded();
    if (!over) co_return over;
  }
}

Task<void> Instance::open(Deadline deadline) {
  McpLink& link = run_->link;
  auto opened = co_await link.open(handshake_mode_, settings_.probe_time, deadline);
  if (opened) {
    handshake_mode_ = link.stateless() ? HandshakeMode::stateless : HandshakeMode::session_based;
  } else {
    // An earlier result may be outdated; a server that was lost before it answered may not have
    // understood the probe.
    const bool mismatch = handshake_mode_ == HandshakeMode::ask && !link.answered() &&
                          link.closed() && opened.error().code == Code::upstream_failed;
    handshake_mode_ =
        mismatch ? HandshakeMode::session_based : handshake_mode_for(settings_.protocol.revision);
  }
  co_return opened;
}

Task<void> Instance::take_up_work(Deadline deadline) {
  if (!lists_) co_return ok();
  McpLink& link = run_->link;
  owner_.on_instructions(*this, link.instructions());
  auto items = co_await link.list_all(deadline);
  const bool refused = !items && items.error().code == Code::too_large;
  if (!items && !refused) co_return items.error();
  auto subscribed = co_await link.subscribe(owner_.subscribed(*this), deadline);
  if (!subscribed && stopping_) co_return subscribed;
  if (!subscribed) {
    log::Line(log::Level::warn, "upstream sends no notifications")
        .add("upstream", upstream_)
        .add("why", subscribed.error().message);
  }
  notify_items(std::move(items));
  co_return ok();
}

// A list that is too large does not prevent the server from answering calls.
void Instance::notify_items(Result<mcp::ItemLists> items) {
  if (items) {
    owner_.on_items(*this, *std::move(items), run_->link.left_out());
  } else if (items.error().code == Code::too_large) {
    owner_.on_items_refused(*this, items.error());
  }
}

// Yields the reason as an error. Meanwhile checks from time to time that the server responds.
Task<void> Instance::wait_for_end() {
  const auto& health = settings_.health;
  for (int failures = 0; failures < health.failures;) {
    const bool checks = health.interval > Duration(0);
    auto closed = co_await closed_->wait(checks ? here().now() + health.interval : kNever);
    if (closed) co_return Error{Code::upstream_failed, *closed};
    if (closed.error().code != Code::timeout) co_return closed.error();
    closed_->reset();
    // The answers of a busy server show that it responds.
    if (running() > 0 || renewing_) continue;
    auto alive = co_await run_->link.check(here().now() + health.timeout);
    failures = alive ? 0 : failures + 1;
  }
  co_return Error{Code::upstream_failed, "it does not answer any more"};
}

Task<void> Instance::end_run() {
  Run& run = *run_;
  run.link.fail_all({Code::upstream_failed, "the upstream was lost"});
  auto idle = co_await in_use_.wait_empty();
  if (!idle) co_return idle;
  auto finished = co_await run.link.finish();
  if (!finished) co_return finished;
  auto ended = co_await run.connection->end(stopping_);
  run_.reset();
  closed_.reset();
  co_return ended;
}

void Instance::on_link_closed(const std::string& why) {
  set_up(false);  // At once, so that no call chooses it any more.
  if (closed_) closed_->deliver(why);
}

// Calls in progress continue; only later calls need the new session.
void Instance::on_forgotten() {
  if (renewing_ || !up()) return;
  renewing_ = true;
  ++renewals_;
  set_up(false);
  scope_.spawn(renew());
}

Task<void> Instance::renew() {
  const Deadline deadline = here().now() + settings_.start_time;
  Result<void> renewed;
  {
    const Gate::Pass pass(in_use_);  // Holds the link.
    renewed =
        co_await run_->link.open(HandshakeMode::session_based, settings_.probe_time, deadline);
    if (renewed) renewed = co_await take_up_work(deadline);
  }
  renewing_ = false;
  if (renewed) {
    set_state(true, "");
  } else if (closed_) {
    closed_->deliver(fmt::format("its session was lost: {}", renewed.error().message));
    notify_waiters();
  }
  co_return ok();
}

void Instance::on_items_changed() {
  if (!lists_) return;
  refresh_again_ = true;
  if (refreshing_ || !up()) return;
  scope_.spawn(refresh_items());
}

Task<void> Instance::refresh_items() {
  refreshing_ = true;
  while (std::exchange(refresh_again_, false) && up()) {
    // A server that reports changes without end is not asked without end.
    if (next_list_ > here().now()) {
      auto pause = sleep_until(next_list_);
      auto rested = co_await pause.with_stop(stop_restarts_);
      discard(rested, "the next line checks why it ended early");
    }
    if (stopping_ || !up()) break;
    refresh_again_ = false;
    next_list_ = here().now() + settings_.min_list_interval;
    // Holds the link until the list has arrived. It is no call: clients need not avoid it.
    const Gate::Pass pass(in_use_);
    auto items = co_await run_->link.list_all(here().now() + settings_.start_time);
    notify_items(std::move(items));
  }
  refreshing_ = false;
  co_return ok();
}

Task<void> Instance::wait_until_up(Deadline deadline) {
  OneShot<void> synced;
  waiters_.push_back(&synced);
  auto waited = co_await synced.wait(deadline);
  std::erase(waiters_, &synced);
  co_return waited;
}

bool Instance::worth_waiting() const {
  if (stopping_) return false;
  // The missing requirement may be met during the pause.
  if (starting_ || renewing_ || connector_->has_changed()) return true;
  return !denied_ && !breaker_open_ && next_attempt_ - here().now() <= kWorthWaiting;
}

void Instance::set_up(bool up) {
  if (up_.exchange(up) != up) since_ = std::chrono::system_clock::now();
}

void Instance::set_state(bool up, std::string detail) {
  set_up(up);
  detail_ = std::move(detail);
  first_attempt_.deliver(ok());
  if (up) breaker_open_ = false;
  owner_.on_state(*this, {up, detail_});
  // Calls that wait for a restart that is due soon continue to wait.
  if (up || !worth_waiting()) notify_waiters();
}

void Instance::notify_waiters() {
  for (auto* const waiter : waiters_) waiter->deliver(ok());
}

Duration Instance::next_pause() {
  const Deadline now = here().now();
  while (!exits_.empty() && now - exits_.front() > settings_.restart.window) exits_.pop_front();
  const auto count = exits_.size();
  breaker_open_ = count >= static_cast<std::size_t>(settings_.restart.breaker);
  if (breaker_open_) return settings_.restart.most;
  Duration pause = settings_.restart.first;
  for (std::size_t i = 1; i < count && pause < settings_.restart.most; ++i) pause *= 2;
  return std::min(pause, settings_.restart.most);
}

}  // namespace patchbay::upstreams
