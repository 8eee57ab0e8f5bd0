// The UpstreamSet holds the upstreams of the running configuration: starts, replaces and stops
// them, and makes a new catalog whenever one offers something else.
//
// Lives on the control thread; upstreams tell it things from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "core/scope.h"
#include "gateway/catalog.h"
#include "gateway/subscriptions.h"

namespace patchbay::app {

struct UpstreamReport {
  std::string name;
  std::string kind;
  gateway::UpstreamState state;
  std::size_t tools = 0;
};

class UpstreamSet final : public gateway::UpstreamWatcher {
 public:
  using Publish = std::function<void(std::shared_ptr<const gateway::Catalog>, bool settled)>;

  using Updated = std::function<void(const std::string& upstream, const std::string& uri)>;

  using TaskChanged = std::function<void(const std::string& upstream, const gateway::TaskNews&)>;

  // `publish` is called on the control thread with each new catalog, the others on any thread.
  UpstreamSet(Executor& control, const std::vector<net::Loop*>& workers,
              metrics::Registry& registry, const gateway::Subscriptions& subscriptions,
              Publish publish, Updated updated, TaskChanged task_changed);

  // Makes the running upstreams those of `plans`: new ones start, changed ones are replaced once
  // the new one has had its chance, others are left alone. Calls in progress finish on what they
  // began with, within `grace`. Yields when every start has ended, well or not.
  Task<void> apply(const std::vector<UpstreamPlan>& plans, const gateway::NameSettings& names,
                   std::chrono::nanoseconds grace);

  // From now on the catalog counts as complete, even if some upstream has not come up.
  void settle();

  Task<void> stop(Deadline deadline);

  // What is there, in the order of the configuration. Callable on any thread.
  std::vector<UpstreamReport> report() const;

  void updated(const gateway::Upstream& upstream, const std::string& uri) override {
    // Only what somebody wants to hear of.
    if (subscriptions_.has(upstream.name(), uri)) updated_(std::string(upstream.name()), uri);
  }
  void task_changed(const gateway::Upstream& upstream, const gateway::TaskNews& news) override {
    task_changed_(std::string(upstream.name()), news);
  }
  std::vector<std::string> subscribed(const gateway::Upstream& upstream) override {
    return subscriptions_.of(upstream.name());
  }
  void offers(const gateway::Upstream& upstream, mcp::ItemLists items) override;

 private:
  struct Running {
    std::string digest;
    std::shared_ptr<gateway::Upstream> upstream;
    mcp::ItemLists items = {};
    bool listed = false;  // Its items have been in a catalog.
    // While the upstream starts: the one it replaces, which answers until then.
    std::shared_ptr<gateway::Upstream> earlier = nullptr;
    mcp::ItemLists earlier_items = {};
  };

  Running* find(const gateway::Upstream* upstream);
  void take_offer(const gateway::Upstream* upstream, mcp::ItemLists items);
  Task<void> start_one(std::shared_ptr<gateway::Upstream> upstream, std::chrono::nanoseconds grace);
  Task<void> stop_one(std::shared_ptr<gateway::Upstream> upstream, Deadline deadline);
  Task<void> retire(std::shared_ptr<gateway::Upstream> upstream, std::chrono::nanoseconds grace);
  void rebuild();

  Executor& control_;
  const std::vector<net::Loop*>& workers_;
  metrics::Registry& registry_;
  const gateway::Subscriptions& subscriptions_;
  const Publish publish_;
  const Updated updated_;
  const TaskChanged task_changed_;

  // Control thread only, except where said.
  gateway::NameSettings names_;
  bool settled_ = false;
  Scope stopping_;

  mutable std::mutex mutex_;  // For report(), which reads from other threads.
  std::vector<Running> running_;
};

}  // namespace patchbay::app
