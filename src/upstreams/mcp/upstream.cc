#include "upstreams/mcp/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "async/hop.h"
#include "json/read.h"
#include "mcp/question.h"
#include "oauth/no_token.h"
#include "observe/log.h"
#include "upstreams/sign_in_call.h"

namespace patchbay::upstreams {
namespace {

// In the course of one call: first of all, and once more if it needs more.
constexpr int kMostSignIns = 2;

bool is_among(const std::vector<const Instance*>& some, const Instance& one) {
  return std::ranges::find(some, &one) != some.end();
}

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

McpUpstream::McpUpstream(McpUpstreamPlan plan, const std::vector<net::Loop*>& workers,
                         gateway::UpstreamWatcher& watcher, metrics::Registry& registry)
    : name_(std::move(plan.name)),
      kind_(plan.kind),
      on_every_worker_(plan.on_every_worker),
      watcher_(watcher),
      counters_(registry, name_),
      restarts_(registry.counter("patchbay_upstream_restarts_total",
                                 "How often an upstream was started again.",
                                 metrics::labels({{"upstream", name_}}))),
      up_(registry.gauge("patchbay_upstream_up", "1 if the upstream can answer calls.",
                         metrics::labels({{"upstream", name_}}))),
      in_flight_(registry.gauge("patchbay_upstream_calls_in_flight",
                                "Calls that an upstream is working on.",
                                metrics::labels({{"upstream", name_}}))),
      access_(std::move(plan.access)),
      told_(told_abilities(plan.settings)),
      private_(name_, plan.settings, plan.connectors, plan.texts, access_, workers, counters_,
               *restarts_, [this](const gateway::TaskUpdate& update) {
                 watcher_.task_changed(*this, update);
               }) {
  // Different upstreams begin on different workers, so that one copy each is spread too.
  const auto first = std::hash<std::string>()(name_);
  const auto add = [&](std::size_t worker, const MakeConnector& make, bool lists) {
    Instance::Owner& owner = *this;
    instances_.push_back(std::make_unique<Instance>(Instance::Parts{
        *workers[worker % workers.size()], name_, plan.settings, make({lists}), owner, counters_,
        *restarts_, lists, fmt::format("{}", instances_.size())}));
  };
  for (std::size_t i = 0; i < plan.connectors.size(); ++i) {
    add(first + (on_every_worker_ ? 0 : i), plan.connectors[i], true);
  }
  for (std::size_t i = 1; on_every_worker_ && i < workers.size(); ++i) {
    for (const auto& make : plan.connectors) add(first + i, make, false);
  }
}

// Runs a step on every instance's own worker at the same time, and waits for all.
template <class Step>
Task<void> McpUpstream::on_each(Step step) {
  Scope all;
  for (const auto& instance : instances_) {
    auto there = [&one = *instance, step] { return step(one); };
    all.spawn(hop<void>(instance->loop(), there));
  }
  co_return co_await all.drain(kNever);
}

Task<void> McpUpstream::start() {
  private_.start();
  auto begin = [](Instance& instance) { return instance.start(); };
  co_return co_await on_each(begin);
}

Task<void> McpUpstream::stop(Deadline deadline) {
  stopping_ = true;
  auto end = [deadline](Instance& instance) { return instance.stop(deadline); };
  auto ended = co_await on_each(end);
  auto private_ended = co_await private_.stop(deadline);
  co_return ended ? private_ended : ended;
}

Task<mcp::Reply> McpUpstream::answer(const gateway::Call& call, std::string_view target) {
  in_flight_->add(1);
  auto reply = co_await answer_once(call, target);
  for (int times = 0; times < kMostSignIns && is_for_person(reply); ++times) {
    auto signed_in = co_await sign_in(call, *access_);
    if (!signed_in) {
      reply = told(call, signed_in.error());
      break;
    }
    reply = co_await answer_once(call, target);
  }
  in_flight_->add(-1);
  co_return reply;
}

// The server would have answered somebody who has signed in.
bool McpUpstream::is_for_person(const Result<mcp::Reply>& reply) const {
  return !reply && access_ && oauth::wants_sign_in(reply.error());
}

Task<mcp::Reply> McpUpstream::answer_once(const gateway::Call& call, std::string_view target) {
  auto key = private_.key_of(call);
  if (!key) co_return key.error();
  if (call.method.reach == mcp::Reach::by_task) {
    co_return co_await answer_about_task(call, target, *std::move(key));
  }
  // A server with sessions is told once what its clients can do. Where it has asked for something
  // in vain, the call is made over a connection whose server is told what this client can do.
  const auto known = unanswerable_requests_.any() ? lesser_abilities(call) : std::nullopt;
  if (known && unanswerable_requests_.find(target, *known)) {
    co_return co_await answer_narrowed(call, target, *std::move(key), *known);
  }
  auto task = *key ? private_.answer(**key, call, target) : answer_shared(call, target);
  auto reply = co_await task;
  const bool in_vain = !reply && reply.error().code == Code::missing_capability;
  const auto lesser = in_vain ? lesser_abilities(call) : std::nullopt;
  if (!lesser) co_return reply;
  const auto method = json::as_string(reply.error().data).value_or("");
  const auto* const asked = mcp::find_client_method(method);
  if (!asked) co_return reply;
  unanswerable_requests_.add(
      target, {asked->capability,
               mcp::bits_of_capability(asked->capability) & mcp::bits_of(told_) & ~*lesser});
  call.client.withdraw_questions();
  co_return co_await answer_narrowed(call, target, *std::move(key), *lesser);
}

Task<mcp::Reply> McpUpstream::answer_narrowed(const gateway::Call& call, std::string_view target,
                                              std::optional<std::string> key, unsigned abilities) {
  // If the call fails, its client hears what it would have needed.
  if (const auto wanted = unanswerable_requests_.find(target, abilities)) {
    call.missing = wanted->capability;
  }
  co_return co_await private_.answer_narrowed(std::move(key), abilities, call, target);
}

std::optional<unsigned> McpUpstream::lesser_abilities(const gateway::Call& call) const {
  if (!mcp::info(call.revision).stateless || call.request.method.ends_with("subscribe")) {
    return std::nullopt;
  }
  const auto can = mcp::common(mcp::abilities_of(call.revision, call.capabilities), told_);
  return can == told_ ? std::nullopt : std::optional(mcp::bits_of(can));
}

// A task lives where it was made: its id begins with the place.
Task<mcp::Reply> McpUpstream::answer_about_task(const gateway::Call& call, std::string_view id,
                                                std::optional<std::string> key) {
  const std::size_t dot = id.find('.');
  const std::string_view place = id.substr(0, dot);
  const std::string_view own = dot == std::string_view::npos ? "" : id.substr(dot + 1);
  if (key && place == kPrivatePlace) co_return co_await private_.answer(*key, call, own);
  if (place.starts_with(kNarrowedPlace)) {
    const auto abilities = number_in(place.substr(kNarrowedPlace.size()));
    if (!abilities) co_return Error{Code::not_found, "there is no such task"};
    co_return co_await private_.answer_narrowed(std::move(key), *abilities, call, own);
  }
  const auto index = number_in(place);
  if (key || !index || *index >= instances_.size()) {
    co_return Error{Code::not_found, "there is no such task"};
  }
  Instance& instance = *instances_[*index];
  auto there = [&instance, &call, &own] { return instance.answer(call, own); };
  co_return co_await hop<mcp::Reply>(instance.loop(), there);
}

Task<mcp::Reply> McpUpstream::answer_shared(const gateway::Call& call, std::string_view target) {
  // One connection tells of changes; all of them would tell of each several times.
  const bool subscribes = call.request.method.ends_with("subscribe");
  std::vector<const Instance*> tried;
  for (;;) {
    Instance& instance = subscribes ? *instances_.front() : least_busy(tried);
    auto there = [&instance, &call, &target] { return instance.answer(call, target); };
    auto reply = co_await hop<mcp::Reply>(instance.loop(), there);
    // What one has not taken another may.
    const bool untaken = !reply && reply.error().code == Code::unavailable;
    if (!untaken || subscribes) co_return reply;
    tried.push_back(&instance);
    if (!another_is_up(tried)) co_return reply;
  }
}

bool McpUpstream::another_is_up(const std::vector<const Instance*>& than) const {
  return std::ranges::any_of(instances_,
                             [&](const auto& one) { return one->up() && !is_among(than, *one); });
}

Instance& McpUpstream::least_busy(const std::vector<const Instance*>& tried) {
  if (instances_.size() == 1) return *instances_.front();
  // Beginning at another one each time, so that equals take turns.
  const auto first = next_.fetch_add(1, std::memory_order_relaxed);
  const auto cost = [&](Instance& one) {
    const bool elsewhere = on_every_worker_ && &one.loop() != &here();
    const bool unanswerable = is_among(tried, one);
    return std::tuple(unanswerable, !one.up(), elsewhere, one.running());
  };
  Instance* best = nullptr;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    Instance& one = *instances_[(first + i) % instances_.size()];
    if (!best || cost(one) < cost(*best)) best = &one;
  }
  return *best;
}

gateway::UpstreamState McpUpstream::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void McpUpstream::on_items(Instance&, mcp::ItemLists items) {
  watcher_.offers(*this, std::move(items));
}

void McpUpstream::on_items_refused(Instance&, const Error& why) { watcher_.refused(*this, why); }

void McpUpstream::on_updated(Instance&, const std::string& uri) { watcher_.updated(*this, uri); }

void McpUpstream::on_task(Instance&, const gateway::TaskUpdate& update) {
  watcher_.task_changed(*this, update);
}

std::vector<std::string> McpUpstream::subscribed(Instance& instance) {
  if (&instance != instances_.front().get()) return {};
  return watcher_.subscribed(*this);
}

void McpUpstream::on_state(Instance& instance, const gateway::UpstreamState& state) {
  const bool any_up = std::ranges::any_of(instances_, [](const auto& one) { return one->up(); });
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = state_.up != any_up;
    state_ = {any_up, any_up ? "" : state.detail};
  }
  up_->set(any_up ? 1 : 0);
  // Connections of further workers go the way of the first.
  if (!changed && !instance.lists()) return;
  log::Line(state.up || stopping_ ? log::Level::info : log::Level::warn,
            state.up ? "upstream up" : "upstream down")
      .add("upstream", name_)
      .add("worker", instance.loop().number())
      .add("detail", state.detail);
}

}  // namespace patchbay::upstreams
