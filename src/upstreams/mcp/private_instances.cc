#include "upstreams/mcp/private_instances.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "core/discard.h"
#include "core/principal.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kMaxBackoff = std::chrono::seconds(10);
constexpr auto kEndTimeout = std::chrono::seconds(10);

std::string spare_key(const std::optional<std::string>& key, unsigned number) {
  return fmt::format("{} {} of {}", kSparePrefix, number, key.value_or("anyone"));
}

}  // namespace

PrivateInstances::PrivateInstances(std::string upstream, const McpSettings& settings,
                                   std::vector<MakeConnector> connectors, CallerTemplates texts,
                                   std::shared_ptr<oauth::Access> access,
                                   const std::vector<net::Loop*>& workers,
                                   const LinkCounters& counters, metrics::Counter& restarts,
                                   std::function<void(const gateway::TaskUpdate&)> notify_task,
                                   std::function<void()> notify_asked)
    : upstream_(std::move(upstream)),
      settings_(settings),
      connectors_(std::move(connectors)),
      texts_(std::move(texts)),
      access_(std::move(access)),
      workers_(workers),
      counters_(counters),
      restarts_(restarts),
      notify_task_(std::move(notify_task)),
      notify_asked_(std::move(notify_asked)) {}

Result<std::optional<std::string>> PrivateInstances::key_of(const gateway::Call& call) const {
  if (settings_.isolation == Isolation::shared) return std::optional<std::string>();
  // All subscriptions of a resource use one connection.
  if (call.method.subscribes()) return std::optional<std::string>();
  const bool by_session = settings_.isolation == Isolation::per_session && !call.session.empty();
  // The shared connections belong to the operator of the gateway.
  if (settings_.isolation == Isolation::per_principal && call.caller->id == Principal().id) {
    return std::optional<std::string>();
  }
  auto mark = texts_.mark(*call.caller);
  if (!mark) return mark.error();
  if (access_) *mark += access_->mark(*call.caller);
  return std::optional(by_session ? fmt::format("session {}{}", call.session, *mark)
                                  : fmt::format("principal {}{}", call.caller->id, *mark));
}

Result<std::shared_ptr<Instance>> PrivateInstances::find(const std::string& key,
                                                         const gateway::Call& call) {
  return find_or_make(key, Variant(), call.caller);
}

bool PrivateInstances::may_separate(const gateway::Call& call) const {
  return settings_.isolation == Isolation::per_principal && !call.session.empty() &&
         !call.method.subscribes();
}

bool PrivateInstances::may_separate_call(const gateway::Call& call) const {
  return settings_.isolation != Isolation::shared && call.session.empty() &&
         !call.method.subscribes();
}

std::string PrivateInstances::session_key(const gateway::Call& call,
                                          const std::optional<std::string>& key) {
  return fmt::format("{} {} of {}", kSessionPrefix, call.session, key.value_or("anyone"));
}

Result<std::shared_ptr<Instance>> PrivateInstances::find_for_session(const std::string& key,
                                                                     const gateway::Call& call) {
  return find_or_make(key, Variant{std::string(kSessionPrefix)}, call.caller);
}

std::vector<gateway::UpstreamInstance> PrivateInstances::list(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<gateway::UpstreamInstance> all;
  for (const auto& [key, entry] : instances_) {
    if (all.size() == most) break;
    const Instance& one = *entry.instance;
    all.push_back({one.up(), false, one.since(), one.running()});
  }
  return all;
}

std::size_t PrivateInstances::size() const {
  const std::lock_guard lock(mutex_);
  return instances_.size();
}

bool PrivateInstances::has(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return instances_.contains(key);
}

int PrivateInstances::running(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = instances_.find(key);
  return found == instances_.end() ? 0 : found->second.instance->running();
}

Result<std::shared_ptr<Instance>> PrivateInstances::find_narrowed(
    const std::optional<std::string>& key, unsigned abilities, const gateway::Call& call) {
  const Variant variant{fmt::format("{}{}", kNarrowedPrefix, abilities), abilities};
  // A connection that all callers use belongs to the gateway, not to the first caller.
  return find_or_make(fmt::format("{} {}", variant.task_prefix, key.value_or("anyone")), variant,
                      key ? call.caller : local_caller());
}

// Only the table refers to an instance that no call holds.
Result<std::shared_ptr<Instance>> PrivateInstances::find_spare(
    const std::optional<std::string>& key, const Caller& caller) {
  const std::lock_guard lock(mutex_);
  for (unsigned number = 0;; ++number) {
    const std::string own = spare_key(key, number);
    const auto found = instances_.find(own);
    if (found == instances_.end()) {
      return make(own, Variant{fmt::format("{}{}", kSparePrefix, number)},
                  key ? caller : local_caller());
    }
    if (found->second.instance.use_count() > 1) continue;
    found->second.instance->touch();
    return found->second.instance;
  }
}

void PrivateInstances::prepare_spare(const std::optional<std::string>& key, const Caller& caller) {
  auto spare = find_spare(key, caller);
  if (!spare) return;  // The maximum is reached: the calls will share a connection.
  net::Loop& loop = (*spare)->loop();
  loop.post([spare = *std::move(spare)] { spare->prepare(); });
}

Result<std::shared_ptr<Instance>> PrivateInstances::spare(const std::optional<std::string>& key,
                                                          unsigned number) {
  const std::lock_guard lock(mutex_);
  const auto found = instances_.find(spare_key(key, number));
  if (found == instances_.end()) return Error{Code::not_found, "there is no such task"};
  found->second.instance->touch();
  return found->second.instance;
}

// Prevents one caller from using up the connections of all.
Result<void> PrivateInstances::check_room(const Principal& caller) const {
  if (instances_.size() >= static_cast<std::size_t>(settings_.most)) {
    return Error{
        Code::overloaded,
        fmt::format(
            "the upstream {} has {} isolated connections already (max_isolated_connections)",
            upstream_, settings_.most)};
  }
  const int declared = settings_.most_of_caller;
  // All callers of this machine are one.
  if (declared == 0 && caller.auth_method == AuthMethod::none) return ok();
  const int share = declared > 0 ? declared : std::max(1, settings_.most / 4);
  const auto own = std::ranges::count_if(
      instances_, [&](const auto& entry) { return entry.second.owner == caller.id; });
  if (own < share) return ok();
  return Error{Code::rate_limited,
               fmt::format("this caller has {} connections of its own to the upstream {} already "
                           "(max_isolated_connections_per_caller)",
                           own, upstream_)};
}

Result<PrivateInstances::InstancePtr> PrivateInstances::find_or_make(const std::string& key,
                                                                     const Variant& variant,
                                                                     const Caller& caller) {
  const std::lock_guard lock(mutex_);
  if (const auto found = instances_.find(key); found != instances_.end()) {
    found->second.instance->touch();
    return found->second.instance;
  }
  return make(key, variant, caller);
}

Result<PrivateInstances::InstancePtr> PrivateInstances::make(const std::string& key,
                                                             const Variant& variant,
                                                             const Caller& caller) {
  if (stopped_) return Error{Code::unavailable, "the upstream is stopping"};
  if (auto room = check_room(*caller); !room) return room.error();
  const auto hash = std::hash<std::string>()(key);
  Instance::Owner& owner = *this;
  McpSettings settings = settings_;
  if (variant.abilities) settings.abilities = mcp::abilities_of_bits(*variant.abilities);
  auto made = std::make_shared<Instance>(
      Instance::Parts{*workers_[hash % workers_.size()], upstream_, std::move(settings),
                      connectors_[hash % connectors_.size()]({false, caller}), owner, counters_,
                      restarts_, false, variant.task_prefix});
  instances_.emplace(key, Entry{made, caller->id});
  return made;
}

// The idle ones, or all; they are no longer found after this.
std::vector<PrivateInstances::InstancePtr> PrivateInstances::take(bool all) {
  std::vector<InstancePtr> taken;
  const std::lock_guard lock(mutex_);
  const Deadline now = Clock::now();
  std::erase_if(instances_, [&](const auto& entry) {
    const Instance& one = *entry.second.instance;
    const bool idle = one.running() == 0 && now - one.last_used() > settings_.idle;
    if (all || idle) taken.push_back(entry.second.instance);
    return all || idle;
  });
  if (all) stopped_ = true;
  return taken;
}

Task<void> PrivateInstances::end(InstancePtr instance, Deadline deadline) {
  auto there = [&instance, deadline] { return instance->stop(deadline); };
  co_return co_await hop<void>(instance->loop(), there);
}

Task<void> PrivateInstances::sweep() {
  for (;;) {
    const auto backoff = std::min<std::chrono::nanoseconds>(settings_.idle / 2, kMaxBackoff);
    auto slept = co_await sleep_until(here().now() + backoff);
    if (!slept) co_return ok();
    for (auto& instance : take(false)) {
      auto ended = co_await end(std::move(instance), here().now() + kEndTimeout);
      discard(ended, "past the timeout it is dropped");
    }
  }
}

Task<void> PrivateInstances::stop(Deadline deadline) {
  sweeping_.cancel();
  auto swept = co_await sweeping_.drain(kNever);
  discard(swept, "sweeping has nothing to report");
  Scope all;
  for (auto& instance : take(true)) all.spawn(end(std::move(instance), deadline));
  co_return co_await all.drain(kNever);
}

}  // namespace patchbay::upstreams
