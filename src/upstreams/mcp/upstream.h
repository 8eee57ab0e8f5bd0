// An McpUpstream is an MCP server, reached over one or more connections: copies of a program,
// replicas of a service, or one connection per worker. A call goes to the connection with the
// fewest calls running; clients that must not share one get connections of their own.
//
// answer() on any worker; start() and stop() on the control thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gateway/call/upstream.h"
#include "oauth/access.h"
#include "observe/metrics.h"
#include "upstreams/mcp/instance.h"
#include "upstreams/mcp/private_instances.h"
#include "upstreams/mcp/unanswerable_requests.h"

namespace patchbay::upstreams {

// What makes one MCP upstream different from another.
struct McpUpstreamPlan {
  std::string name;
  std::string_view kind;
  McpSettings settings = {};
  // One for each copy or replica.
  std::vector<MakeConnector> connectors = {};
  // Each worker has its own connection to each of them, so that calls need not change threads.
  bool on_every_worker = false;
  CallerTemplates texts = {};                  // In which callers differ.
  std::shared_ptr<oauth::Access> access = {};  // To what it is shown; null: nothing that changes.
};

class McpUpstream final : public gateway::Upstream, Instance::Owner {
 public:
  // REQUIRES: workers, watcher and registry outlive the upstream.
  McpUpstream(McpUpstreamPlan plan, const std::vector<net::Loop*>& workers,
              gateway::UpstreamWatcher& watcher, metrics::Registry& registry);

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return kind_; }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  gateway::UpstreamState state() const override;
  Task<void> stop(Deadline deadline) override;

 private:
  void on_items(Instance& instance, mcp::ItemLists items) override;
  void on_items_refused(Instance& instance, const Error& why) override;
  void on_updated(Instance& instance, const std::string& uri) override;
  void on_task(Instance& instance, const gateway::TaskUpdate& update) override;
  std::vector<std::string> subscribed(Instance& instance) override;
  void on_state(Instance& instance, const gateway::UpstreamState& state) override;
  bool is_for_person(const Result<mcp::Reply>& reply) const;
  Task<mcp::Reply> answer_once(const gateway::Call& call, std::string_view target);
  // What the client of the call can do, if that is less than the server of a shared connection is
  // told and the server may ask in the course of it.
  std::optional<unsigned> lesser_abilities(const gateway::Call& call) const;
  Task<mcp::Reply> answer_narrowed(const gateway::Call& call, std::string_view target,
                                   std::optional<std::string> key, unsigned abilities);
  Task<mcp::Reply> answer_about_task(const gateway::Call& call, std::string_view id,
                                     std::optional<std::string> key);
  Task<mcp::Reply> answer_shared(const gateway::Call& call, std::string_view target);
  // Of those that have not been tried in vain, if there are any.
  Instance& least_busy(const std::vector<const Instance*>& tried);
  bool another_is_up(const std::vector<const Instance*>& than) const;
  template <class Step>
  Task<void> on_each(Step step);

  // Constant after construction.
  const std::string name_;
  const std::string_view kind_;
  const bool on_every_worker_;
  gateway::UpstreamWatcher& watcher_;
  const LinkCounters counters_;
  const std::shared_ptr<metrics::Counter> restarts_;
  const std::shared_ptr<metrics::Gauge> up_;
  const std::shared_ptr<metrics::Gauge> in_flight_;
  const std::shared_ptr<oauth::Access> access_;
  const mcp::Abilities told_;  // To servers with sessions, over connections that are not narrowed.
  std::vector<std::unique_ptr<Instance>> instances_;  // Shared by those who may share.
  PrivateInstances private_;

  std::atomic<std::size_t> next_ = 0;           // Any worker: whose turn it is among equals.
  std::atomic<bool> stopping_ = false;          // Going down is no surprise any more.
  UnanswerableRequests unanswerable_requests_;  // Any worker.

  // Guarded: told by every instance's worker, read by whoever asks.
  mutable std::mutex mutex_;
  gateway::UpstreamState state_{false, "starting"};
};

}  // namespace patchbay::upstreams
