// The connections of an upstream that belong to only one client or one principal, because the
// server stores state about its client. Created when first needed, ended when idle.
//
// find() on any worker; start() and stop() on the control thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "async/scope.h"
#include "core/principal.h"
#include "oauth/access.h"
#include "upstreams/caller_templates.h"
#include "upstreams/mcp/instance.h"

namespace patchbay::upstreams {

// The prefix of task ids on a connection of one principal or one client.
inline constexpr std::string_view kPrivatePrefix = "own";
// The same on a connection of one session whose settings would let it share one.
inline constexpr std::string_view kSessionPrefix = "session";
// The same on a connection that declares exactly the capabilities of its clients: their bits
// follow.
inline constexpr std::string_view kNarrowedPrefix = "can";
// The same on a connection that runs one call at a time: its number follows.
inline constexpr std::string_view kSparePrefix = "spare";

// The caller that a connection is made for.
struct ConnectionOwner {
  bool alone = true;  // No other connection of this gateway to the same server.
  Caller caller = local_caller();
};

using MakeConnector = std::function<std::unique_ptr<Connector>(const ConnectionOwner& owner)>;

class PrivateInstances final : Instance::Owner {
 public:
  // REQUIRES: objects that are referred to outlive it. `texts` and `access` distinguish callers
  // beyond their id: a caller for whom they change gets another connection.
  PrivateInstances(std::string upstream, const McpSettings& settings,
                   std::vector<MakeConnector> connectors, CallerTemplates texts,
                   std::shared_ptr<oauth::Access> access, const std::vector<net::Loop*>& workers,
                   const LinkCounters& counters, metrics::Counter& restarts,
                   std::function<void(const gateway::TaskUpdate&)> notify_task,
                   std::function<void()> notify_asked);

  // The key of the connection that a call needs; empty if it may use the shared ones.
  // Code::forbidden if the upstream needs a fact about its caller that is unknown.
  Result<std::optional<std::string>> key_of(const gateway::Call& call) const;

  // Whether each session has its own.
  bool isolate_sessions() const { return settings_.isolation == Isolation::per_session; }

  // The connection of `key`, created if necessary; it starts with its first call. Code::overloaded
  // or Code::rate_limited if there are too many.
  Result<std::shared_ptr<Instance>> find(const std::string& key, const gateway::Call& call);

  // Whether the session of the call may get its own connection: its settings let sessions share
  // one.
  bool may_separate(const gateway::Call& call) const;
  // The same for one call without a session.
  bool may_separate_call(const gateway::Call& call) const;

  // The key of that connection, instead of the shared one of `key`.
  static std::string session_key(const gateway::Call& call, const std::optional<std::string>& key);
  Result<std::shared_ptr<Instance>> find_for_session(const std::string& key,
                                                     const gateway::Call& call);
  bool has(const std::string& key);
  // Calls that run on the connection of `key`.
  int running(const std::string& key);

  // The same for a server to which exactly these client capabilities are declared. Callers that
  // share connections share these too: `key` is then empty.
  Result<std::shared_ptr<Instance>> find_narrowed(const std::optional<std::string>& key,
                                                  unsigned abilities, const gateway::Call& call);

  // A connection without running calls, for a call without a session that must not run beside
  // others on the shared connection of `key`. The call owns it as long as it holds the pointer.
  Result<std::shared_ptr<Instance>> find_spare(const std::optional<std::string>& key,
                                               const Caller& caller);
  // Starts such a connection before it is needed, so that no call waits for a program to start.
  void prepare_spare(const std::optional<std::string>& key, const Caller& caller);
  // The connection with this number, if it exists.
  Result<std::shared_ptr<Instance>> spare(const std::optional<std::string>& key, unsigned number);

  // Those that there are, for people. At most `most`.
  std::vector<gateway::UpstreamInstance> list(std::size_t most) const;

  // The number of connections.
  std::size_t size() const;

  void start() { sweeping_.spawn(sweep()); }
  Task<void> stop(Deadline deadline);

 private:
  using InstancePtr = std::shared_ptr<Instance>;
  struct Entry {
    InstancePtr instance;
    std::string owner;  // The id of the caller that created it.
  };

  // Only the shared connections report the catalog and the state of the upstream.
  void on_items(Instance&, mcp::ItemLists, std::shared_ptr<const gateway::LeftOut>) override {}
  void on_items_refused(Instance&, const Error&) override {}
  void on_updated(Instance&, const std::string&) override {}
  void on_task(Instance&, const gateway::TaskUpdate& update) override { notify_task_(update); }
  void on_asked(Instance&) override { notify_asked_(); }
  std::vector<std::string> subscribed(Instance&) override { return {}; }
  void on_state(Instance&, const gateway::UpstreamState&) override {}

  struct Variant {
    std::string task_prefix{kPrivatePrefix};
    std::optional<unsigned> abilities = {};  // None: the capabilities in the settings.
  };

  Result<InstancePtr> find_or_make(const std::string& key, const Variant& variant,
                                   const Caller& caller);
  // REQUIRES: mutex_ is held.
  Result<InstancePtr> make(const std::string& key, const Variant& variant, const Caller& caller);
  Result<void> check_room(const Principal& caller) const;
  std::vector<InstancePtr> take(bool all);
  Task<void> end(InstancePtr instance, Deadline deadline);
  Task<void> sweep();

  // Constant after construction.
  const std::string upstream_;
  const McpSettings settings_;
  const std::vector<MakeConnector> connectors_;
  const CallerTemplates texts_;
  const std::shared_ptr<oauth::Access> access_;  // May be null.
  const std::vector<net::Loop*>& workers_;
  const LinkCounters& counters_;
  metrics::Counter& restarts_;
  const std::function<void(const gateway::TaskUpdate&)> notify_task_;  // Set on any worker.
  const std::function<void()> notify_asked_;                           // Set on any worker.

  Scope sweeping_;  // Control thread only.

  // Guarded: any worker.
  mutable std::mutex mutex_;
  std::map<std::string, Entry> instances_;
  bool stopped_ = false;
};

}  // namespace patchbay::upstreams
