#include "app/upstream_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "app/disabled_upstream.h"
#include "async/hop.h"
#include "core/discard.h"
#include "core/glob.h"
#include "gateway/catalog/schema_check.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

using frontends::UpstreamMode;

// How often the state of upstreams is checked.
constexpr auto kLook = std::chrono::seconds(1);
constexpr std::size_t kMostLogged = 8 << 10;  // Bytes of the names in one line of the log.

// The control thread does nothing else during this time.
constexpr auto kLongestSchemaCheck = std::chrono::milliseconds(200);
constexpr std::size_t kMaxUnusableListed = 5;  // Of the tools of one upstream.

bool is_mcp_server(const gateway::Upstream& upstream) {
  constexpr std::array<std::string_view, 4> kOthers{"builtin", "openapi", "kafka", "sandbox"};
  return std::ranges::find(kOthers, upstream.kind()) == kOthers.end();
}

// The log lines by which readers follow the start of an MCP server.
void log_connecting(const gateway::Upstream& upstream) {
  if (!is_mcp_server(upstream)) return;
  log::Line(log::Level::info, fmt::format("Connecting to {} MCP server...", upstream.name()))
      .add("upstream", upstream.name());
}

void log_offer(const gateway::Upstream& upstream, const mcp::ItemLists& items, bool first) {
  if (upstream.kind() == "builtin") return;
  const auto name = upstream.name();
  if (first && is_mcp_server(upstream)) {
    log::Line(log::Level::info, fmt::format("Successfully connected to MCP server: {}", name))
        .add("upstream", name);
  }
  std::string tools;
  for (const auto& tool : mcp::of(items, mcp::ItemKind::tool)) {
    if (tools.size() + tool.key.size() > kMostLogged) {
      tools += ", …";
      break;
    }
    tools += (tools.empty() ? "" : ", ") + tool.key;
  }
  if (tools.empty()) return;
  log::Line(log::Level::info, log::plain_event(fmt::format("Available {} tools: {}", name, tools)))
      .add("upstream", name);
}

}  // namespace

UpstreamSet::UpstreamSet(Executor& control, const std::vector<net::Loop*>& workers,
                         metrics::Registry& registry, const gateway::Subscriptions& subscriptions,
                         policy::Pins& pins, const Switches& switches, BusService& buses,
                         oauth::TokenService* tokens, Publish publish, Updated updated,
                         TaskChanged task_changed)
    : control_(control),
      workers_(workers),
      registry_(registry),
      subscriptions_(subscriptions),
      pins_(pins),
      switches_(switches),
      buses_(buses),
      tokens_(tokens),
      publish_(std::move(publish)),
      updated_(std::move(updated)),
      task_changed_(std::move(task_changed)) {}

Task<void> UpstreamSet::apply(const Configuration& configuration) {
  if (stopped_)
    co_return ok();  // A reload was in progress: nothing would stop the upstreams that it starts.
  const Settings& settings = configuration.settings;
  const std::chrono::nanoseconds grace = settings.stop.grace;
  names_ = settings.names;
  listed_after_loss_ = settings.limits.listed_after_loss;
  if (!watch_.set()) here().timers().set(watch_, here().now() + kLook);
  UpstreamContext context{workers_, *this, registry_, buses_, parsers_, configuration.allowed,
                          tokens_};
  context.env_pass = settings.stdio.env_pass;
  std::vector<Running> next;
  std::vector<Running> gone;
  std::vector<std::shared_ptr<gateway::Upstream>> fresh;
  std::unique_lock lock(mutex_);
  for (const auto& plan : configuration.upstreams) {
    const auto before = std::ranges::find_if(
        running_, [&](const Running& one) { return one.source.upstream->name() == plan.name; });
    const bool known = before != running_.end();
    const std::string digest = is_disabled(plan) ? "disabled" : plan.digest;
    if (known && before->digest == digest) {
      next.push_back(std::move(*before));
      next.back().source.settings = plan.settings;
      next.back().source.upstream->reread();
      running_.erase(before);
      continue;
    }
    context.lists = plan.settings.lists;
    next.push_back({digest, {make(plan, context), plan.settings}});
    fresh.push_back(next.back().source.upstream);
    if (known) {
      next.back().earlier = std::move(before->source);
      running_.erase(before);
    }
  }
  gone = std::exchange(running_, std::move(next));
  pins_.set(settings.pins, static_cast<std::size_t>(settings.limits.pins));
  for (auto& one : running_) {
    look_at(one.source);
    one.required = std::ranges::any_of(settings.ready.upstreams, [&](const std::string& pattern) {
      return matches_glob(pattern, one.source.upstream->name());
    });
  }
  lock.unlock();
  if (!gone.empty()) rebuild();
  for (auto& one : gone) stopping_.spawn(retire(std::move(one.source.upstream), grace));

  Scope starting;
  for (const auto& upstream : fresh) starting.spawn(start_one(upstream, grace));
  auto started = co_await starting.drain(kNever);
  if (!started) {
    starting.cancel();
    started = co_await starting.drain(kNever);
  }
  rebuild();
  co_return ok();
}

bool UpstreamSet::is_disabled(const UpstreamPlan& plan) const {
  return switches_.upstream(plan.name).mode == UpstreamMode::disabled;
}

std::shared_ptr<gateway::Upstream> UpstreamSet::make(const UpstreamPlan& plan,
                                                     const UpstreamContext& context) const {
  if (is_disabled(plan)) return std::make_shared<DisabledUpstream>(plan.name, plan.kind);
  return plan.make(context);
}

// Starts an upstream; the one that it replaces is retired whether the start succeeds or not.
Task<void> UpstreamSet::start_one(std::shared_ptr<gateway::Upstream> upstream,
                                  std::chrono::nanoseconds grace) {
  log_connecting(*upstream);
  auto started = co_await upstream->start();
  Running* const one = find(upstream.get());
  if (!one || !one->earlier) co_return started;
  auto earlier = std::exchange(one->earlier, std::nullopt);
  rebuild();
  stopping_.spawn(retire(std::move(earlier->upstream), grace));
  co_return started;
}

// Stops an upstream that is no longer in the catalog. A worker that answers here has the new
// catalog, and its earlier calls have reached the upstream.
Task<void> UpstreamSet::retire(std::shared_ptr<gateway::Upstream> upstream,
                               std::chrono::nanoseconds grace) {
  for (net::Loop* const worker : workers_) {
    auto nothing = []() -> Task<void> { co_return ok(); };
    auto passed = co_await hop<void>(*worker, nothing);
    discard(passed, "only the passage through the worker matters");
  }
  // Beyond this point no new call reaches it.
  co_return co_await stop_one(std::move(upstream), here().now() + grace);
}

UpstreamSet::Running* UpstreamSet::find(const gateway::Upstream* upstream) {
  const auto found = std::ranges::find_if(
      running_, [upstream](const Running& one) { return one.source.upstream.get() == upstream; });
  return found == running_.end() ? nullptr : &*found;
}

Task<void> UpstreamSet::stop_one(std::shared_ptr<gateway::Upstream> upstream, Deadline deadline) {
  auto stopped = co_await upstream->stop(deadline);
  if (!stopped) {
    log::Line(log::Level::warn, "upstream did not stop")
        .add("upstream", upstream->name())
        .add("why", stopped.error().message);
  }
  co_return stopped;
}

void UpstreamSet::reread() {
  for (const auto& one : running_) one.source.upstream->reread();
}

void UpstreamSet::mark_synced() {
  if (synced_) return;
  synced_ = true;
  rebuild();
}

Task<void> UpstreamSet::stop(Deadline deadline) {
  stopped_ = true;
  watch_.drop();
  for (auto& one : running_) {
    stopping_.spawn(stop_one(one.source.upstream, deadline));
    auto earlier = std::exchange(one.earlier, std::nullopt);
    if (earlier) stopping_.spawn(stop_one(std::move(earlier->upstream), deadline));
  }
  co_return co_await stopping_.drain(kNever);
}

std::vector<std::shared_ptr<gateway::Registrar>> UpstreamSet::registrars() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<gateway::Registrar>> found;
  for (const auto& one : running_) {
    auto registrar = std::dynamic_pointer_cast<gateway::Registrar>(one.source.upstream);
    if (registrar) found.push_back(std::move(registrar));
  }
  return found;
}

std::shared_ptr<gateway::Upstream> UpstreamSet::find_by_name(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  for (const auto& one : running_) {
    if (one.source.upstream->name() == name) return one.source.upstream;
  }
  return nullptr;
}

std::vector<UpstreamReport> UpstreamSet::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<UpstreamReport> lines;
  for (const auto& one : running_) {
    const gateway::Upstream& upstream = *one.source.upstream;
    gateway::UpstreamState state = upstream.state();
    // When it is reported as up, its tools must be in the next list.
    if (state.up && !one.listed) state = {false, "starting"};
    if (state.up && !one.problems.empty()) {
      state.detail +=
          fmt::format("{}{}", state.detail.empty() ? "" : "; ", fmt::join(one.problems, "; "));
    }
    if (state.up && !one.source.refused.empty()) {
      state.detail += fmt::format("{}what it lists is refused: {}",
                                  state.detail.empty() ? "" : "; ", one.source.refused);
    }
    if (state.up && !one.unusable.empty()) {
      const std::size_t named = std::min(one.unusable.size(), kMaxUnusableListed);
      state.detail +=
          fmt::format("{}{} with a schema that cannot be used: {}",
                      state.detail.empty() ? "" : "; ", one.unusable.size(),
                      fmt::join(one.unusable.begin(),
                                one.unusable.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    }
    UpstreamReport line{std::string(upstream.name()),
                        std::string(upstream.kind()),
                        std::move(state),
                        one.tool_count,
                        one.required,
                        upstream.use()};
    line.switched = switches_.upstream(line.name);
    if (line.switched.mode == UpstreamMode::disabled) line.state.up = false;
    if (line.switched.mode != UpstreamMode::enabled) {
      line.state.detail = fmt::format("{} by an admin", name_of(line.switched.mode));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void UpstreamSet::offers(const gateway::Upstream& upstream, mcp::ItemLists items) {
  if (&here() == &control_) return take_offer(&upstream, std::move(items));
  control_.post([this, from = &upstream, items = std::move(items)]() mutable {
    take_offer(from, std::move(items));
  });
}

void UpstreamSet::refused(const gateway::Upstream& upstream, const Error& why) {
  if (&here() == &control_) return take_offer(&upstream, why);
  control_.post([this, from = &upstream, why] { take_offer(from, why); });
}

void UpstreamSet::take_offer(const gateway::Upstream* upstream, Result<mcp::ItemLists> items) {
  {
    const std::lock_guard lock(mutex_);
    Running* const one = find(upstream);
    if (!one) return;
    take_items(*one, std::move(items));
    one->lost_at.reset();
    one->withdrawn = false;
  }
  rebuild();
  const std::lock_guard lock(mutex_);
  if (Running* const one = find(upstream)) one->listed = true;
}

// Whatever the kind of the upstream, the catalog gets no more than it may list.
void UpstreamSet::take_items(Running& one, Result<mcp::ItemLists> items) {
  const gateway::Upstream& upstream = *one.source.upstream;
  if (items) {
    auto fits = gateway::check_lists(*items, one.source.settings.lists);
    if (!fits) items = fits.error();
  }
  const std::string why = items ? "" : items.error().message;
  // Logged once, because an upstream may list any number of times.
  if (std::exchange(one.source.refused, why) != why && !items) {
    log::Line(log::Level::error, "list refused").add("upstream", upstream.name()).add("why", why);
  }
  if (!items) return;
  log_offer(upstream, *items, !one.listed);
  one.source.items = *std::move(items);
  look_at(one.source);
}

// Compiled-in tools change only with the gateway itself.
void UpstreamSet::look_at(Source& source) {
  if (source.upstream->kind() == "builtin") return;
  source.changed =
      pins_.look_at(source.upstream->name(), mcp::of(source.items, mcp::ItemKind::tool));
}

void UpstreamSet::check_pins() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& one : running_) look_at(one.source);
  }
  rebuild();
}

// An upstream that has been down for too long is not listed until it is up again.
void UpstreamSet::look() {
  here().timers().set(watch_, here().now() + kLook);
  bool changed = false;
  for (auto& one : running_) {
    if (one.earlier) continue;
    if (one.source.upstream->state().up) {
      one.lost_at.reset();
    } else if (!one.lost_at) {
      // The next check decides: an upstream that has just come up may not have reported its items
      // yet.
      one.lost_at = here().now();
      continue;
    }
    const bool withdrawn = one.lost_at && here().now() - *one.lost_at >= listed_after_loss_;
    if (withdrawn == one.withdrawn) continue;
    one.withdrawn = withdrawn;
    changed = true;
    if (withdrawn && one.listed) {
      log::Line(log::Level::warn, "upstream withdrawn from the lists")
          .add("upstream", one.source.upstream->name());
    }
  }
  if (changed) rebuild();
}

void UpstreamSet::rebuild() {
  std::vector<gateway::Offer> offers;
  {
    const std::lock_guard lock(mutex_);
    for (auto& one : running_) offers.push_back(offer_of(one));
  }
  catalog_ = std::make_shared<const gateway::Catalog>(offers, names_, catalog_.get());
  check_schemas();
  publish_(catalog_, synced_);
}

// Logs tools whose calls cannot be validated, before they are called.
void UpstreamSet::check_schemas() {
  auto found = gateway::find_unusable(*catalog_, kLongestSchemaCheck);
  const std::lock_guard lock(mutex_);
  for (auto& one : running_) {
    const std::string name(one.source.upstream->name());
    one.unusable = std::move(found[name]);
    registry_
        .gauge("patchbay_unusable_schemas", "Tools with a schema that cannot be used.",
               metrics::labels({{"upstream", name}}))
        ->set(static_cast<std::int64_t>(one.unusable.size()));
  }
}

// What admins have switched off stays in the offer, so that calls of it get the reason.
void UpstreamSet::switch_off(gateway::Offer& offer) const {
  const std::string name(offer.upstream->name());
  const UpstreamMode mode = switches_.upstream(name).mode;
  if (mode != UpstreamMode::enabled) {
    offer.suspended = fmt::format("the upstream '{}' is {} by an admin; it accepts no calls", name,
                                  name_of(mode));
  }
  for (const auto& tool : switches_.tools_off(name)) {
    offer.off[tool.tool] =
        fmt::format("the tool '{}' of '{}' is switched off by an admin", tool.tool, name);
  }
}

// The items of an upstream that are listed.
gateway::Offer UpstreamSet::offer_of(Running& one) {
  const Source& from = one.earlier ? *one.earlier : one.source;
  gateway::Offer offer{from.upstream, {}};
  if (!one.withdrawn) offer.items = from.items;
  // An upstream that has not reported its items yet has no problems yet.
  const bool offered = offer.items != mcp::ItemLists{};
  std::erase_if(mcp::of(offer.items, mcp::ItemKind::tool),
                [&](const mcp::Item& tool) { return from.changed.contains(tool.key); });
  auto problems = gateway::curate(offer, from.settings.tools);
  for (const auto& tool : from.changed) {
    problems.push_back(fmt::format("'{}' is left out: its definition has changed", tool));
  }
  if (!offered) problems.clear();
  if (problems != one.problems) {
    for (const auto& problem : problems) {
      log::Line(log::Level::error, "tools are not as configured")
          .add("upstream", from.upstream->name())
          .add("why", problem);
    }
    one.problems = std::move(problems);
  }
  switch_off(offer);
  const auto is_listed = [&offer](const mcp::Item& tool) {
    const auto renamed = offer.own_names.find(tool.key);
    const bool off =
        offer.off.contains(renamed == offer.own_names.end() ? tool.key : renamed->second);
    return tool.listed && !off && offer.suspended.empty();
  };
  one.tool_count = static_cast<std::size_t>(
      std::ranges::count_if(mcp::of(offer.items, mcp::ItemKind::tool), is_listed));
  return offer;
}

}  // namespace patchbay::app
