#include "upstreams/stdio_upstream.h"

#include <algorithm>

#include "core/hop.h"
#include "observe/log.h"

namespace patchbay::upstreams {

StdioUpstream::StdioUpstream(std::string name, const StdioSettings& settings,
                             const std::vector<net::Loop*>& workers,
                             gateway::UpstreamWatcher& watcher, metrics::Registry& registry)
    : name_(std::move(name)),
      watcher_(watcher),
      counters_(registry, name_),
      restarts_(registry.counter("patchbay_upstream_restarts_total",
                                 "How often an upstream was started again.",
                                 metrics::labels({{"upstream", name_}}))),
      up_(registry.gauge("patchbay_upstream_up", "1 if the upstream can answer calls.",
                         metrics::labels({{"upstream", name_}}))),
      in_flight_(registry.gauge("patchbay_upstream_calls_in_flight",
                                "Calls that an upstream is working on.",
                                metrics::labels({{"upstream", name_}}))) {
  // Different upstreams begin on different workers, so that one copy each is spread too.
  const auto first = std::hash<std::string>()(name_);
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings.instances); ++i) {
    net::Loop& home = *workers[(first + i) % workers.size()];
    StdioInstance::Owner& owner = *this;
    instances_.push_back(
        std::make_unique<StdioInstance>(home, name_, settings, owner, counters_, *restarts_));
  }
}

// Runs a step on every instance's own worker at the same time, and waits for all.
template <class Step>
Task<void> StdioUpstream::on_each(Step step) {
  Scope all;
  for (const auto& instance : instances_) {
    auto there = [&one = *instance, step] { return step(one); };
    all.spawn(hop<void>(instance->home(), there));
  }
  co_return co_await all.drain(kNever);
}

Task<void> StdioUpstream::start() {
  auto begin = [](StdioInstance& instance) { return instance.start(); };
  co_return co_await on_each(begin);
}

Task<void> StdioUpstream::stop(Deadline deadline) {
  auto end = [deadline](StdioInstance& instance) { return instance.stop(deadline); };
  co_return co_await on_each(end);
}

Task<mcp::Reply> StdioUpstream::answer(const gateway::Call& call, std::string_view target) {
  // One copy tells of changes; all of them would tell of each several times.
  const bool subscribes = call.request.method.ends_with("subscribe");
  StdioInstance& instance = subscribes ? *instances_.front() : least_busy();
  auto there = [&instance, &call, target] { return instance.answer(call, target); };
  in_flight_->add(1);
  auto reply = co_await hop<mcp::Reply>(instance.home(), there);
  in_flight_->add(-1);
  co_return reply;
}

StdioInstance& StdioUpstream::least_busy() {
  if (instances_.size() == 1) return *instances_.front();
  // Beginning at another one each time, so that equals take turns.
  const auto first = next_.fetch_add(1, std::memory_order_relaxed);
  const auto cost = [](const StdioInstance& one) { return std::pair(!one.up(), one.running()); };
  StdioInstance* best = nullptr;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    StdioInstance& one = *instances_[(first + i) % instances_.size()];
    if (!best || cost(one) < cost(*best)) best = &one;
  }
  return *best;
}

gateway::UpstreamState StdioUpstream::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void StdioUpstream::on_items(StdioInstance&, mcp::ItemLists items) {
  watcher_.offers(*this, std::move(items));
}

void StdioUpstream::on_updated(StdioInstance&, const std::string& uri) {
  watcher_.updated(*this, uri);
}

std::vector<std::string> StdioUpstream::subscribed(StdioInstance& instance) {
  if (&instance != instances_.front().get()) return {};
  return watcher_.subscribed(*this);
}

void StdioUpstream::on_state(StdioInstance& instance, const gateway::UpstreamState& state) {
  const bool any_up = std::ranges::any_of(instances_, [](const auto& one) { return one->up(); });
  {
    const std::lock_guard lock(mutex_);
    state_ = {any_up, any_up ? "" : state.detail};
  }
  up_->set(any_up ? 1 : 0);
  log::Line(state.up ? log::Level::info : log::Level::warn,
            state.up ? "upstream up" : "upstream down")
      .add("upstream", name_)
      .add("worker", instance.home().number())
      .add("detail", state.detail);
}

}  // namespace patchbay::upstreams
