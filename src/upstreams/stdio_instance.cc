#include "upstreams/stdio_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

using config::Duration;

// A call waits for a restart that is at most this far away; otherwise it fails at once.
constexpr Duration kWorthWaiting{1'000};

class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  std::atomic<int>& count_;
};

}  // namespace

StdioInstance::StdioInstance(net::Loop& home, std::string upstream, const StdioSettings& settings,
                             Owner& owner, const LinkCounters& counters, metrics::Counter& restarts)
    : home_(home),
      upstream_(std::move(upstream)),
      settings_(settings),
      owner_(owner),
      counters_(counters),
      restarts_(restarts) {}

Task<void> StdioInstance::start() {
  scope_.spawn(keep_running());
  co_return co_await first_attempt_.wait();
}

Task<mcp::Reply> StdioInstance::answer(const gateway::Call& call, std::string_view target) {
  Deadline deadline = call.deadline;
  if (settings_.timeout > Duration(0)) {
    deadline = std::min(deadline, here().now() + settings_.timeout);
  }
  if (!up() && worth_waiting()) {
    auto waited = co_await wait_until_up(deadline);
    if (!waited && waited.error().code == Code::cancelled) co_return waited.error();
  }
  if (!up()) {
    co_return Error{Code::unavailable,
                    fmt::format("the upstream {} is down: {}", upstream_, detail_)};
  }
  Result<mcp::Reply> reply;
  {
    const Counted counted(running_);
    reply = co_await life_->link.ask(call, target, deadline);
  }
  if (running() == 0 && quiet_) quiet_->deliver(ok());
  co_return reply;
}

Task<void> StdioInstance::stop(Deadline deadline) {
  stopping_ = true;
  stop_restarts_.request();
  auto quiet = co_await wait_until_quiet(deadline);
  (void)quiet;  // Past the deadline the calls fail when the link ends.
  // Whatever the instance is doing, it ends now: a handshake too.
  if (life_) life_->link.fail_all({Code::unavailable, "the upstream is stopping"});
  if (closed_) closed_->deliver(std::string("the upstream is stopping"));
  co_return co_await scope_.drain(kNever);
}

// The life of the instance: attempts, each a life of the program, with pauses between them.
Task<void> StdioInstance::keep_running() {
  for (bool first = true; !stopping_; first = false) {
    if (!first) restarts_.add();
    auto lived = co_await live();
    if (stopping_) break;
    exits_.push_back(here().now());
    const Duration pause = next_pause();
    next_attempt_ = here().now() + pause;
    const std::string why = lived ? "ended" : lived.error().message;
    settle(false, breaker_open_ ? fmt::format("{} (breaker open: {} exits, next try in {} ms)", why,
                                              exits_.size(), pause.count())
                                : why);
    auto sleep = sleep_until(next_attempt_);
    auto slept = co_await sleep.hearing(stop_restarts_);
    (void)slept;  // Woken early only to stop, which the loop sees.
  }
  settle(false, "stopped");
  co_return ok();
}

// One attempt: spawn, handshake, list, then wait for the end. Yields why it ended.
Task<void> StdioInstance::live() {
  starting_ = true;
  auto child = net::Child::spawn(program());
  if (!child) {
    starting_ = false;
    co_return child.error();
  }
  closed_.emplace();
  McpLink::Events& events = *this;
  life_.emplace(*std::move(child), settings_, upstream_, events, counters_);
  const Deadline deadline = here().now() + settings_.start_time;
  auto opened = co_await life_->link.open(deadline);
  Result<mcp::ItemLists> items = Error{};
  if (opened) items = co_await life_->link.list_all(deadline);
  starting_ = false;
  std::string why;
  if (opened && items) {
    for (const auto& uri : owner_.subscribed(*this)) {
      auto again = co_await life_->link.subscribe(uri, deadline);
      (void)again;  // A resource that is gone is no reason not to come up.
    }
    owner_.on_items(*this, *std::move(items));
    settle(true, "");
    auto closed = co_await closed_->wait();
    why = closed ? *closed : closed.error().message;
  } else {
    why = opened ? items.error().message : opened.error().message;
  }
  up_ = false;
  if (life_->child->exited() || !stopping_) {
    // The reason a pipe closed is usually that the program has ended: say how.
    auto ended = co_await life_->child->exit(here().now() + Duration(50));
    if (ended) why = fmt::format("the program {}", *ended);
  }
  auto over = co_await end_life();
  if (!over) co_return over;
  co_return Error{Code::upstream_failed, why};
}

// Ends what is left of the program: input closed, then SIGTERM, then SIGKILL to its whole group.
Task<void> StdioInstance::end_life() {
  Life& life = *life_;
  life.link.fail_all({Code::upstream_failed, "the upstream was lost"});
  auto quiet = co_await wait_until_quiet(kNever);
  if (!quiet) co_return quiet;
  life.channel.close_sending();
  // A program that broke the rules or its pipes gets no time to read its end of input.
  const auto patience = stopping_ ? settings_.stop_grace : Duration(0);
  auto exited = co_await life.child->exit(here().now() + patience);
  if (!exited) {
    life.child->signal(SIGTERM);
    exited = co_await life.child->exit(here().now() + settings_.stop_grace);
  }
  if (!exited) {
    life.child->signal(SIGKILL);
    exited = co_await life.child->exit(kNever);
  }
  life.channel.close();
  life_.reset();
  closed_.reset();
  co_return ok();
}

void StdioInstance::on_link_closed(const std::string& why) {
  if (closed_) closed_->deliver(why);
}

void StdioInstance::on_items_changed() {
  refresh_again_ = true;
  if (refreshing_ || !up()) return;
  scope_.spawn(refresh_items());
}

Task<void> StdioInstance::refresh_items() {
  refreshing_ = true;
  while (std::exchange(refresh_again_, false) && up()) {
    const Counted counted(running_);  // Keeps the link until the list has come.
    auto items = co_await life_->link.list_all(here().now() + settings_.start_time);
    if (items) owner_.on_items(*this, *std::move(items));
  }
  refreshing_ = false;
  if (running() == 0 && quiet_) quiet_->deliver(ok());
  co_return ok();
}

Task<void> StdioInstance::wait_until_up(Deadline deadline) {
  OneShot<void> settled;
  waiters_.push_back(&settled);
  auto waited = co_await settled.wait(deadline);
  std::erase(waiters_, &settled);
  co_return waited;
}

Task<void> StdioInstance::wait_until_quiet(Deadline deadline) {
  if (running() == 0) co_return ok();
  OneShot<void> quiet;
  quiet_ = &quiet;
  auto waited = co_await quiet.wait(deadline);
  quiet_ = nullptr;
  co_return waited;
}

bool StdioInstance::worth_waiting() const {
  if (stopping_) return false;
  if (starting_) return true;
  return !breaker_open_ && next_attempt_ - here().now() <= kWorthWaiting;
}

void StdioInstance::settle(bool up, std::string detail) {
  up_ = up;
  detail_ = std::move(detail);
  first_attempt_.deliver(ok());
  if (up) breaker_open_ = false;
  owner_.on_state(*this, {up, detail_});
  // Those who wait for a restart that is soon to come go on waiting.
  if (up || !worth_waiting()) tell_waiters();
}

void StdioInstance::tell_waiters() {
  for (auto* const waiter : waiters_) waiter->deliver(ok());
}

Duration StdioInstance::next_pause() {
  const Deadline now = here().now();
  while (!exits_.empty() && now - exits_.front() > settings_.restart.window) exits_.pop_front();
  const auto count = exits_.size();
  breaker_open_ = count >= static_cast<std::size_t>(settings_.restart.breaker);
  if (breaker_open_) return settings_.restart.most;
  Duration pause = settings_.restart.first;
  for (std::size_t i = 1; i < count && pause < settings_.restart.most; ++i) pause *= 2;
  return std::min(pause, settings_.restart.most);
}

net::Program StdioInstance::program() const {
  net::Program program{settings_.command, settings_.args, net::usual_environment(), settings_.cwd};
  for (const auto& name : settings_.env_pass) net::pass_variable(name.c_str(), program.environment);
  for (const auto& [name, value] : settings_.env) {
    std::erase_if(program.environment,
                  [&](const std::string& entry) { return entry.starts_with(name + "="); });
    program.environment.push_back(fmt::format("{}={}", name, value));
  }
  return program;
}

}  // namespace patchbay::upstreams
