// The UpstreamSet holds the upstreams of the running configuration. It starts, replaces and stops
// them, and makes a new catalog whenever one of them offers something else. The items of a lost
// upstream stay listed for `limits.stale_list_ttl`.
//
// Lives on the control thread; upstreams report to it on any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/bus_service.h"
#include "app/configuration.h"
#include "app/hidden_page.h"
#include "app/switches.h"
#include "async/scope.h"
#include "async/thread_pool.h"
#include "gateway/call/subscriptions.h"
#include "gateway/catalog/catalog.h"
#include "gateway/catalog/curation.h"
#include "gateway/registrar.h"
#include "policy/pins/pins.h"

namespace patchbay::app {

struct UpstreamReport {
  std::string name;
  std::string kind;
  gateway::UpstreamState state;
  std::size_t tools = 0;
  bool required = false;  // The gateway is not ready without it.
  gateway::UpstreamUse use = {};
  frontends::UpstreamSwitch switched = {};
};

class UpstreamSet final : public gateway::UpstreamWatcher {
 public:
  using Publish = std::function<void(std::shared_ptr<const gateway::Catalog>, bool synced)>;

  using Updated = std::function<void(const std::string& upstream, const std::string& uri)>;

  using TaskChanged = std::function<void(const std::string& upstream, const gateway::TaskUpdate&)>;

  // `publish` is called on the control thread with each new catalog, the other functions on any
  // thread.
  UpstreamSet(Executor& control, const std::vector<net::Loop*>& workers,
              metrics::Registry& registry, const gateway::Subscriptions& subscriptions,
              policy::Pins& pins, const Switches& switches, BusService& buses,
              oauth::TokenService* tokens, Publish publish, Updated updated,
              TaskChanged task_changed);

  // Makes the running upstreams those of `configuration`: starts new ones, replaces a changed one
  // after its successor has started or failed, and leaves the others alone. Calls in progress
  // finish where they began, within `stop.drain_timeout`. Yields when every start has ended,
  // successfully or not. REQUIRES: `configuration` does not change until then.
  Task<void> apply(const Configuration& configuration);

  // Requests every upstream to read the files that its configuration names again.
  void reread();

  // The stored definitions of tools have changed: checks all tools again.
  void check_pins();

  // Makes a new catalog, because something that it is made of has changed.
  void rebuild();

  // From now on the catalog counts as complete, even if some upstream is not up.
  void mark_synced();

  Task<void> stop(Deadline deadline);

  // Those that have a registry of agents. Callable on any thread.
  std::vector<std::shared_ptr<gateway::Registrar>> registrars() const;

  // The running upstream of that name; null: there is none. Callable on any thread.
  std::shared_ptr<gateway::Upstream> find_by_name(std::string_view name) const;

  // The upstreams, in the order of the configuration. Callable on any thread.
  std::vector<UpstreamReport> report() const;

  // A page of what clients are not offered, and why. Code::invalid_params: its cursor is of another
  // catalog.
  Result<frontends::HiddenItems> hidden(const frontends::HiddenQuery& query) const;

  void updated(const gateway::Upstream& upstream, const std::string& uri) override {
    // Only upstreams with subscribers.
    if (subscriptions_.has(upstream.name(), uri)) updated_(std::string(upstream.name()), uri);
  }
  void task_changed(const gateway::Upstream& upstream, const gateway::TaskUpdate& update) override {
    task_changed_(std::string(upstream.name()), update);
  }
  std::vector<std::string> subscribed(const gateway::Upstream& upstream) override {
    return subscriptions_.of(upstream.name());
  }
  void offers(const gateway::Upstream& upstream, mcp::ItemLists items) override;
  void refused(const gateway::Upstream& upstream, const Error& why) override;

 private:
  // An upstream, and what it offers.
  struct Source {
    std::shared_ptr<gateway::Upstream> upstream;
    gateway::UpstreamSettings settings = {};
    mcp::ItemLists items = {};
    std::string refused = {};  // Why its latest list was refused; empty if it was not.
    std::set<std::string> changed =
        {};  // Tools that are left out because their definitions have changed.
  };

  struct Running {
    std::string digest;
    Source source;
    // While the upstream starts: the upstream that it replaces, which answers until then.
    std::optional<Source> earlier = {};
    bool required = false;                   // See UpstreamReport.
    bool listed = false;                     // Its items have been in a catalog.
    std::optional<Deadline> lost_at = {};    // Since when it has been down, as far as observed.
    bool withdrawn = false;                  // Down for so long that it is not listed.
    std::size_t tool_count = 0;              // The number of listed tools.
    std::vector<std::string> problems = {};  // With its `tools` settings.
    std::vector<std::string> unusable = {};  // Tools with an unusable schema, and why.
  };

  // Checks lost upstreams from time to time.
  class Watch final : public Timer {
   public:
    explicit Watch(UpstreamSet& set) : set_(set) {}
    void on_deadline() override { set_.look(); }

   private:
    UpstreamSet& set_;
  };

  Running* find(const gateway::Upstream* upstream);
  void take_offer(const gateway::Upstream* upstream, Result<mcp::ItemLists> items);
  void take_items(Running& one, Result<mcp::ItemLists> items);
  bool is_disabled(const UpstreamPlan& plan) const;
  std::shared_ptr<gateway::Upstream> make(const UpstreamPlan& plan,
                                          const UpstreamContext& context) const;
  Task<void> start_one(std::shared_ptr<gateway::Upstream> upstream, std::chrono::nanoseconds grace);
  Task<void> stop_one(std::shared_ptr<gateway::Upstream> upstream, Deadline deadline);
  Task<void> retire(std::shared_ptr<gateway::Upstream> upstream, std::chrono::nanoseconds grace);
  void look();
  void look_at(Source& source);
  void check_schemas();
  gateway::Offer offer_of(Running& one);
  std::optional<HiddenBecause> upstream_hidden(const Running& one) const;
  std::optional<HiddenBecause> curation_hidden(const Running& one, const Source& from,
                                               mcp::ItemKind kind, const mcp::Item& item) const;
  std::optional<HiddenBecause> item_hidden(const Running& one, const Source& from,
                                           mcp::ItemKind kind, const mcp::Item& item,
                                           const gateway::CatalogEntry* entry,
                                           HiddenPage& page) const;
  static void add_left_out(const gateway::Upstream& upstream, HiddenPage& page);
  void switch_off(gateway::Offer& offer) const;

  static constexpr int kParsers = 2;
  static constexpr int kMostDocuments = 1000;  // Documents that wait to be parsed.

  Executor& control_;
  const std::vector<net::Loop*>& workers_;
  metrics::Registry& registry_;
  const gateway::Subscriptions& subscriptions_;
  policy::Pins& pins_;
  const Switches& switches_;
  BusService& buses_;
  oauth::TokenService* const tokens_;
  const Publish publish_;
  const Updated updated_;
  const TaskChanged task_changed_;

  // Control thread only, except where noted.
  gateway::NameSettings names_;
  std::chrono::nanoseconds listed_after_loss_{0};
  bool synced_ = false;
  bool stopped_ = false;  // stop() has begun; nothing is started any more.
  std::shared_ptr<const gateway::Catalog> catalog_;  // The latest catalog.
  Scope stopping_;
  Watch watch_{*this};

  // Parses documents of upstreams. Declared before them, because they wait for it.
  ThreadPool parsers_{kParsers, kMostDocuments};

  mutable std::mutex mutex_;  // For report(), which reads from other threads.
  std::vector<Running> running_;
};

}  // namespace patchbay::app
