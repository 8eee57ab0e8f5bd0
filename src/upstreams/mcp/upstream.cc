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

// Maximum for one call: at its start, and again if it needs more access.
constexpr int kMaxSignIns = 2;
constexpr std::size_t kMaxListedPrivate = 100;

bool is_among(const std::vector<const Instance*>& some, const Instance& one) {
  return std::ranges::find(some, &one) != some.end();
}

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool can_be_asked(const gateway::Call& call) {
  const auto can = mcp::abilities_of(call.revision, call.capabilities);
  return can.sampling || can.form || can.url;
}

}  // namespace

McpUpstream::McpUpstream(McpUpstreamPlan plan, const std::vector<net::Loop*>& workers,
                         gateway::UpstreamWatcher& watcher, metrics::Registry& registry)
    : name_(std::move(plan.name)),
      kind_(plan.kind),
      on_every_worker_(plan.on_every_worker),
      timeout_(plan.settings.timeout),
      watcher_(watcher),
      counters_(registry, name_),
      restarts_(registry.counter("patchbay_upstream_restarts_total",
                                 "How often an upstream was started again.",
                                 metrics::labels({{"upstream", name_}}))),
      in_flight_(registry.gauge("patchbay_upstream_calls_in_flight",
                                "Calls that an upstream is working on.",
                                metrics::labels({{"upstream", name_}}))),
      access_(std::move(plan.access)),
      declared_(declared_abilities(plan.settings)),
      private_(
          name_, plan.settings, plan.connectors, plan.texts, access_, workers, counters_,
          *restarts_,
          [this](const gateway::TaskUpdate& update) { watcher_.task_changed(*this, update); },
          [this] { asking_.on_asked(); }) {
  // Different upstreams start on different workers, so that single instances are distributed too.
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

Task<void> McpUpstream::restart() {
  auto again = [](Instance& instance) { return instance.restart(); };
  co_return co_await on_each(again);
}

Task<void> McpUpstream::stop(Deadline deadline) {
  stopping_ = true;
  auto end = [deadline](Instance& instance) { return instance.stop(deadline); };
  auto ended = co_await on_each(end);
  auto private_ended = co_await private_.stop(deadline);
  co_return ended ? private_ended : ended;
}

Task<mcp::Reply> McpUpstream::answer(const gateway::Call& call, std::string_view target) {
  const metrics::Counted counted(*in_flight_);
  call.trace.enter(trace::Stage::queue);
  Attempts attempts;
  for (;;) {
    auto used = route(call, target, attempts);
    if (!used) co_return used.error();
    auto there = [&used, &call, asked = here().now()] {
      return used->instance->answer(call, used->target, asked);
    };
    Executor& owner = used->instance->loop();
    auto answering = &owner == &here() ? there() : hop<mcp::Reply>(owner, there);
    auto reply = co_await answering;
    if (reply) co_return reply;
    if (reroutes(call, target, *used, reply.error(), attempts)) {
      call.trace.enter(trace::Stage::queue);
      continue;
    }
    if (!wants_sign_in(reply.error()) || attempts.sign_ins == kMaxSignIns) co_return reply;
    call.trace.enter(trace::Stage::queue);
    auto signed_in = co_await sign_in(call, *access_);
    if (!signed_in) co_return sign_in_reply(call, signed_in.error());
    attempts = {.sign_ins = attempts.sign_ins + 1};
  }
}

// The server would answer a caller that has signed in.
bool McpUpstream::wants_sign_in(const Error& error) const {
  return access_ && oauth::wants_sign_in(error);
}

Result<McpUpstream::Route> McpUpstream::route(const gateway::Call& call, std::string_view target,
                                              const Attempts& attempts) {
  auto key = private_.key_of(call);
  if (!key) return key.error();
  if (*key && (!on_every_worker_ || private_.isolate_sessions())) {
    call.client.on_private_program();
  }
  if (call.method.reach == mcp::Reach::by_task) return route_to_task(call, target, *key);
  // A session-based server gets the client capabilities once. If it has sent a request that a
  // client cannot answer, calls of such clients use a connection that declares less.
  auto abilities = attempts.narrowed;
  if (!abilities && unanswerable_requests_.any()) {
    const auto lesser = lesser_abilities(call);
    if (lesser && unanswerable_requests_.find(target, *lesser)) abilities = lesser;
  }
  if (abilities) {
    // If the call fails, its client receives the missing capability.
    if (const auto wanted = unanswerable_requests_.find(target, *abilities)) {
      call.missing = wanted->capability;
    }
    auto narrowed = route_private(private_.find_narrowed(*key, *abilities, call), target);
    if (narrowed) narrowed->narrowed = true;
    return narrowed;
  }
  if (auto own = route_session(call, target, *key)) return *std::move(own);
  if (auto own = route_alone(call, target, *key)) return *std::move(own);
  if (*key) return route_private(private_.find(**key, call), target);
  return route_shared(call, target, attempts);
}

std::optional<McpUpstream::Route> McpUpstream::route_session(
    const gateway::Call& call, std::string_view target, const std::optional<std::string>& key) {
  // A server over HTTP asks in the response to the call.
  if (on_every_worker_) return std::nullopt;
  if (!private_.may_separate(call)) return std::nullopt;
  // The key is made only if some session has its own connection, since this is on the path of every
  // call.
  std::optional<std::string> session;
  if (asking_.separated()) session = PrivateInstances::session_key(call, key);
  if (!session || !private_.has(*session)) {
    if (asking_.decided()) return std::nullopt;
    if (!asking_.wants_own(key.value_or(""), call.session, can_be_asked(call), busy(key))) {
      return std::nullopt;
    }
    session = PrivateInstances::session_key(call, key);
  }
  auto own = route_private(private_.find_for_session(*session, call), target);
  if (own) call.client.on_private_program();
  // If the maximum is reached, the session shares a connection as before.
  return own ? std::optional(*std::move(own)) : std::nullopt;
}

// A question does not identify its call, and two calls without a session cannot be distinguished. A
// server that is known to ask therefore gets one of them at a time.
std::optional<McpUpstream::Route> McpUpstream::route_alone(const gateway::Call& call,
                                                           std::string_view target,
                                                           const std::optional<std::string>& key) {
  if (on_every_worker_ || asking_.decided() || !private_.may_separate_call(call)) {
    return std::nullopt;
  }
  if (!asking_.wants_own_call(key.value_or(""), can_be_asked(call), busy(key))) {
    if (asking_.may_need_spare()) private_.prepare_spare(key, call.caller);
    return std::nullopt;
  }
  // Calls whose clients cannot be asked share a connection that declares this to the server.
  const auto abilities = can_be_asked(call) ? std::nullopt : lesser_abilities(call);
  auto own = route_private(abilities ? private_.find_narrowed(key, *abilities, call)
                                     : private_.find_spare(key, call.caller),
                           target);
  if (!own) return std::nullopt;
  own->narrowed = abilities.has_value();
  return *std::move(own);
}

// Calls run on the connections that callers with this key share.
bool McpUpstream::busy(const std::optional<std::string>& key) {
  if (key) return private_.running(*key) > 0;
  return std::ranges::any_of(instances_, [](const auto& one) { return one->running() > 0; });
}

// A call that asks a question may wait long for its answer; the next call without a session must
// not run beside it.
void McpUpstream::on_asked(Instance&) {
  if (asking_.on_asked() && asking_.may_need_spare()) {
    private_.prepare_spare(std::nullopt, local_caller());
  }
}

Result<McpUpstream::Route> McpUpstream::route_private(Result<std::shared_ptr<Instance>> instance,
                                                      std::string_view target) {
  if (!instance) return instance.error();
  Instance* const raw = instance->get();
  return Route{.instance = raw, .owned = *std::move(instance), .target = target};
}

McpUpstream::Route McpUpstream::route_shared(const gateway::Call& call, std::string_view target,
                                             const Attempts& attempts) {
  // One connection reports changes; with all of them, each change would be reported several times.
  if (call.method.subscribes()) return {.instance = instances_.front().get(), .target = target};
  return {.instance = &least_busy(attempts.refused), .target = target, .shared = true};
}

// A task stays on the connection that created it: its id begins with the prefix of the connection.
Result<McpUpstream::Route> McpUpstream::route_to_task(const gateway::Call& call,
                                                      std::string_view id,
                                                      const std::optional<std::string>& key) {
  const std::size_t dot = id.find('.');
  const std::string_view prefix = id.substr(0, dot);
  const std::string_view own = dot == std::string_view::npos ? "" : id.substr(dot + 1);
  if (prefix == kSessionPrefix && private_.may_separate(call)) {
    return route_private(private_.find_for_session(PrivateInstances::session_key(call, key), call),
                         own);
  }
  if (prefix.starts_with(kSparePrefix)) {
    const auto number = number_in(prefix.substr(kSparePrefix.size()));
    if (number) return route_private(private_.spare(key, *number), own);
  }
  if (key && prefix == kPrivatePrefix) return route_private(private_.find(*key, call), own);
  const Error unknown{Code::not_found, "there is no such task"};
  if (prefix.starts_with(kNarrowedPrefix)) {
    const auto abilities = number_in(prefix.substr(kNarrowedPrefix.size()));
    if (!abilities) return unknown;
    return route_private(private_.find_narrowed(key, *abilities, call), own);
  }
  const auto index = number_in(prefix);
  if (key || !index || *index >= instances_.size()) return unknown;
  return Route{.instance = instances_[*index].get(), .target = own};
}

bool McpUpstream::reroutes(const gateway::Call& call, std::string_view target, const Route& used,
                           const Error& error, Attempts& attempts) {
  if (error.code == Code::unavailable && used.shared) {
    attempts.refused.push_back(used.instance);
    return another_is_up(attempts.refused);
  }
  return error.code == Code::missing_capability && !used.narrowed &&
         narrows(call, target, error, attempts);
}

// The server has sent a request that the client of the call cannot answer. If the connection
// declared the capability, the call is repeated over one that does not.
bool McpUpstream::narrows(const gateway::Call& call, std::string_view target, const Error& error,
                          Attempts& attempts) {
  if (call.method.reach == mcp::Reach::by_task) return false;
  const auto lesser = lesser_abilities(call);
  if (!lesser) return false;
  const auto method = json::as_string(error.data).value_or("");
  const auto* const wanted = mcp::find_client_method(method);
  if (!wanted) return false;
  unanswerable_requests_.add(
      target, {wanted->capability,
               mcp::bits_of_capability(wanted->capability) & mcp::bits_of(declared_) & ~*lesser});
  call.client.withdraw_questions();
  attempts.narrowed = lesser;
  return true;
}

std::optional<unsigned> McpUpstream::lesser_abilities(const gateway::Call& call) const {
  if (!mcp::info(call.revision).stateless || call.method.subscribes()) return std::nullopt;
  const auto can = mcp::common(mcp::abilities_of(call.revision, call.capabilities), declared_);
  return can == declared_ ? std::nullopt : std::optional(mcp::bits_of(can));
}

bool McpUpstream::another_is_up(const std::vector<const Instance*>& than) const {
  return std::ranges::any_of(instances_,
                             [&](const auto& one) { return one->up() && !is_among(than, *one); });
}

Instance& McpUpstream::least_busy(const std::vector<const Instance*>& refused) {
  if (instances_.size() == 1) return *instances_.front();
  // Begins at another one each time, so that equals take turns.
  const auto first = next_.fetch_add(1, std::memory_order_relaxed);
  const auto cost = [&](Instance& one) {
    const bool elsewhere = on_every_worker_ && &one.loop() != &here();
    return std::tuple(is_among(refused, one), !one.up(), elsewhere, one.running());
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

gateway::UpstreamUse McpUpstream::use() const {
  gateway::UpstreamUse use;
  for (const auto& instance : instances_)
    ++(instance->up() ? use.instances_up : use.instances_down);
  use.private_instances = static_cast<int>(private_.size());
  return use;
}

std::vector<gateway::UpstreamInstance> McpUpstream::instances() const {
  std::vector<gateway::UpstreamInstance> all;
  for (const auto& one : instances_) {
    all.push_back({one->up(), true, one->since(), one->running()});
  }
  for (const auto& one : private_.list(kMaxListedPrivate)) all.push_back(one);
  return all;
}

std::string McpUpstream::instructions() const {
  const std::lock_guard lock(mutex_);
  return instructions_;
}

void McpUpstream::on_instructions(Instance&, const std::string& text) {
  const std::lock_guard lock(mutex_);
  instructions_ = text;
}

std::shared_ptr<const gateway::LeftOut> McpUpstream::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

void McpUpstream::on_items(Instance&, mcp::ItemLists items,
                           std::shared_ptr<const gateway::LeftOut> left_out) {
  {
    const std::lock_guard lock(mutex_);
    left_out_ = std::move(left_out);
  }
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
  // The connections of other workers lead to the same server: only those that list are logged.
  if (!changed && !instance.lists()) return;
  log::Line(state.up || stopping_ ? log::Level::info : log::Level::warn,
            state.up ? "upstream up" : "upstream down")
      .add("upstream", name_)
      .add("worker", instance.loop().number())
      .add("detail", state.detail);
}

}  // namespace patchbay::upstreams
