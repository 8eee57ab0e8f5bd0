#include "app/upstream_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hop.h"
#include "observe/log.h"

namespace patchbay::app {

namespace {

// The lines that a reader of the log follows a server of tools by.
void log_connecting(const gateway::Upstream& upstream) {
  if (upstream.kind() == "builtin") return;
  log::Line(log::Level::info, fmt::format("Connecting to {} MCP server...", upstream.name()));
}

void log_offer(const gateway::Upstream& upstream, const mcp::ItemLists& items, bool first) {
  if (upstream.kind() == "builtin") return;
  const auto name = upstream.name();
  if (first) {
    log::Line(log::Level::info, fmt::format("Successfully connected to MCP server: {}", name));
  }
  std::string tools;
  for (const auto& tool : mcp::of(items, mcp::ItemKind::tool)) {
    tools += (tools.empty() ? "" : ", ") + tool.key;
  }
  log::Line(log::Level::info, log::plain_event(fmt::format("Available {} tools: {}", name, tools)));
}

}  // namespace

UpstreamSet::UpstreamSet(Executor& control, const std::vector<net::Loop*>& workers,
                         metrics::Registry& registry, const gateway::Subscriptions& subscriptions,
                         Publish publish, Updated updated)
    : control_(control),
      workers_(workers),
      registry_(registry),
      subscriptions_(subscriptions),
      publish_(std::move(publish)),
      updated_(std::move(updated)) {}

Task<void> UpstreamSet::apply(const std::vector<UpstreamPlan>& plans,
                              const gateway::NameSettings& names, std::chrono::nanoseconds grace) {
  names_ = names;
  const UpstreamContext context{workers_, *this, registry_};
  std::vector<Running> next;
  std::vector<std::shared_ptr<gateway::Upstream>> fresh;
  for (const auto& plan : plans) {
    const auto before = std::ranges::find_if(
        running_, [&](const Running& one) { return one.upstream->name() == plan.name; });
    const bool known = before != running_.end();
    if (known && before->digest == plan.digest) {
      next.push_back(std::move(*before));
      running_.erase(before);
      continue;
    }
    next.push_back({plan.digest, plan.make(context)});
    fresh.push_back(next.back().upstream);
    if (known) {
      next.back().earlier = before->upstream;
      next.back().earlier_items = std::move(before->items);
      running_.erase(before);
    }
  }
  std::vector<Running> gone;
  {
    const std::lock_guard lock(mutex_);
    gone = std::exchange(running_, std::move(next));
  }
  if (!gone.empty()) rebuild();
  for (auto& one : gone) stopping_.spawn(retire(std::move(one.upstream), grace));

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

// Starts an upstream; whatever becomes of it, the one it replaces is done.
Task<void> UpstreamSet::start_one(std::shared_ptr<gateway::Upstream> upstream,
                                  std::chrono::nanoseconds grace) {
  log_connecting(*upstream);
  auto started = co_await upstream->start();
  Running* const one = find(upstream.get());
  if (!one || !one->earlier) co_return started;
  auto earlier = std::exchange(one->earlier, nullptr);
  rebuild();
  stopping_.spawn(retire(std::move(earlier), grace));
  co_return started;
}

// Stops an upstream that is no longer in the catalog. Each worker has taken the new catalog when it
// answers here, and what it sent to the upstream before that has arrived there.
Task<void> UpstreamSet::retire(std::shared_ptr<gateway::Upstream> upstream,
                               std::chrono::nanoseconds grace) {
  for (net::Loop* const worker : workers_) {
    auto nothing = []() -> Task<void> { co_return ok(); };
    auto passed = co_await hop<void>(*worker, nothing);
    (void)passed;
  }
  // Beyond this point no new call reaches it.
  co_return co_await stop_one(std::move(upstream), here().now() + grace);
}

UpstreamSet::Running* UpstreamSet::find(const gateway::Upstream* upstream) {
  const auto found = std::ranges::find_if(
      running_, [upstream](const Running& one) { return one.upstream.get() == upstream; });
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

void UpstreamSet::settle() {
  if (settled_) return;
  settled_ = true;
  rebuild();
}

Task<void> UpstreamSet::stop(Deadline deadline) {
  for (const auto& one : running_) {
    stopping_.spawn(stop_one(one.upstream, deadline));
    if (one.earlier) stopping_.spawn(stop_one(one.earlier, deadline));
  }
  co_return co_await stopping_.drain(kNever);
}

std::vector<UpstreamReport> UpstreamSet::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<UpstreamReport> lines;
  for (const auto& one : running_) {
    gateway::UpstreamState state = one.upstream->state();
    // Whoever hears that it is up must find its tools in the next list.
    if (state.up && !one.listed) state = {false, "starting"};
    lines.push_back({std::string(one.upstream->name()), std::string(one.upstream->kind()),
                     std::move(state), mcp::of(one.items, mcp::ItemKind::tool).size()});
  }
  return lines;
}

void UpstreamSet::offers(const gateway::Upstream& upstream, mcp::ItemLists items) {
  if (&here() == &control_) return take_offer(&upstream, std::move(items));
  control_.post([this, from = &upstream, items = std::move(items)]() mutable {
    take_offer(from, std::move(items));
  });
}

void UpstreamSet::take_offer(const gateway::Upstream* upstream, mcp::ItemLists items) {
  {
    const std::lock_guard lock(mutex_);
    Running* const one = find(upstream);
    if (!one) return;
    log_offer(*upstream, items, !one->listed);
    one->items = std::move(items);
  }
  rebuild();
  const std::lock_guard lock(mutex_);
  if (Running* const one = find(upstream)) one->listed = true;
}

void UpstreamSet::rebuild() {
  std::vector<gateway::Offer> offers;
  for (const auto& one : running_) {
    if (one.earlier) {
      offers.push_back({one.earlier, one.earlier_items});
    } else {
      offers.push_back({one.upstream, one.items});
    }
  }
  publish_(std::make_shared<const gateway::Catalog>(offers, names_), settled_);
}

}  // namespace patchbay::app
