// An McpUpstream is an MCP server, reached over one or more connections: copies of a program,
// replicas of a service, or one connection per worker. A call goes to the connection with the
// fewest running calls; clients that must not share one get separate connections.
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
#include "upstreams/mcp/asking_sessions.h"
#include "upstreams/mcp/instance.h"
#include "upstreams/mcp/private_instances.h"
#include "upstreams/mcp/unanswerable_requests.h"

namespace patchbay::upstreams {

// The parameters of one MCP upstream.
struct McpUpstreamPlan {
  std::string name;
  std::string_view kind;
  McpSettings settings = {};
  // One for each copy or replica.
  std::vector<MakeConnector> connectors = {};
  // Each worker has its own connection to each of them, so that calls need not change threads.
  bool on_every_worker = false;
  CallerTemplates texts = {};                  // Texts that depend on the caller.
  std::shared_ptr<oauth::Access> access = {};  // Its credentials; null: none that change.
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
  gateway::UpstreamTimeout call_timeout() const override { return {timeout_}; }
  std::string instructions() const override;
  gateway::UpstreamState state() const override;
  gateway::UpstreamUse use() const override;
  std::vector<gateway::UpstreamInstance> instances() const override;
  std::shared_ptr<const gateway::LeftOut> left_out() const override;
  Task<void> restart() override;
  Task<void> stop(Deadline deadline) override;

 private:
  void on_items(Instance& instance, mcp::ItemLists items,
                std::shared_ptr<const gateway::LeftOut> left_out) override;
  void on_items_refused(Instance& instance, const Error& why) override;
  void on_updated(Instance& instance, const std::string& uri) override;
  void on_task(Instance& instance, const gateway::TaskUpdate& update) override;
  void on_asked(Instance& instance) override;
  std::vector<std::string> subscribed(Instance& instance) override;
  void on_state(Instance& instance, const gateway::UpstreamState& state) override;
  void on_instructions(Instance& instance, const std::string& text) override;

  // The connection that one attempt at a call uses.
  struct Route {
    Instance* instance = nullptr;
    std::shared_ptr<Instance> owned = {};  // Owns a private one.
    std::string_view target = {};          // The server's name of the item.
    bool shared = false;                   // Another replica may accept the call.
    bool narrowed = false;  // Exactly the client's capabilities were declared to its server.
  };
  // The results of earlier attempts at the same call.
  struct Attempts {
    std::vector<const Instance*> refused = {};  // Replicas that did not accept it.
    std::optional<unsigned> narrowed = {};      // Exactly these capabilities must be declared.
    int sign_ins = 0;
  };

  Result<Route> route(const gateway::Call& call, std::string_view target, const Attempts& attempts);
  Result<Route> route_to_task(const gateway::Call& call, std::string_view id,
                              const std::optional<std::string>& key);
  Result<Route> route_private(Result<std::shared_ptr<Instance>> instance, std::string_view target);
  // The connection of the call's session alone, if the server asks questions; empty: the session
  // shares that of `key`.
  std::optional<Route> route_session(const gateway::Call& call, std::string_view target,
                                     const std::optional<std::string>& key);
  // A connection separate from other calls in progress, if the call has no session and the server
  // asks questions: for this call alone, or for calls whose clients cannot be asked.
  std::optional<Route> route_alone(const gateway::Call& call, std::string_view target,
                                   const std::optional<std::string>& key);
  bool busy(const std::optional<std::string>& key);
  Route route_shared(const gateway::Call& call, std::string_view target, const Attempts& attempts);
  // Whether the call goes to another connection after this error.
  bool reroutes(const gateway::Call& call, std::string_view target, const Route& used,
                const Error& error, Attempts& attempts);
  bool narrows(const gateway::Call& call, std::string_view target, const Error& error,
               Attempts& attempts);
  bool wants_sign_in(const Error& error) const;
  // The capabilities of the call's client, if more were declared to the server of a shared
  // connection and it may ask while the call runs.
  std::optional<unsigned> lesser_abilities(const gateway::Call& call) const;
  // Prefers those that have not refused the call.
  Instance& least_busy(const std::vector<const Instance*>& refused);
  bool another_is_up(const std::vector<const Instance*>& than) const;
  template <class Step>
  Task<void> on_each(Step step);

  // Constant after construction.
  const std::string name_;
  const std::string_view kind_;
  const bool on_every_worker_;
  const config::Duration timeout_;
  gateway::UpstreamWatcher& watcher_;
  const LinkCounters counters_;
  const std::shared_ptr<metrics::Counter> restarts_;
  const std::shared_ptr<metrics::Gauge> in_flight_;
  const std::shared_ptr<oauth::Access> access_;
  const mcp::Abilities
      declared_;  // Sent to session-based servers, over connections that are not narrowed.
  std::vector<std::unique_ptr<Instance>> instances_;  // Shared by callers that may share.
  PrivateInstances private_;

  AskingSessions asking_;                       // Any worker.
  std::atomic<std::size_t> next_ = 0;           // Any worker: selects among equals in turn.
  std::atomic<bool> stopping_ = false;          // The upstream is being stopped.
  UnanswerableRequests unanswerable_requests_;  // Any worker.

  // Guarded: written on every instance's worker, read on any.
  mutable std::mutex mutex_;
  gateway::UpstreamState state_{false, "starting"};
  std::string instructions_;
  std::shared_ptr<const gateway::LeftOut> left_out_;
};

}  // namespace patchbay::upstreams
