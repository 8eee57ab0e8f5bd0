// The connections of an upstream that belong to one client or one principal alone, because the
// server stores state of its user. Made when first needed, ended when idle.
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

// How the ids of tasks begin on a connection that is the client's own.
inline constexpr std::string_view kPrivatePrefix = "own";
// The same for a connection of one session that would share one by the settings.
inline constexpr std::string_view kSessionPrefix = "session";
// The same for a connection that declares exactly the abilities of its clients: the bits follow.
inline constexpr std::string_view kNarrowedPrefix = "can";

// The caller that a connection is made for.
struct ConnectionOwner {
  bool alone = true;  // Nobody else of this gateway is connected to the same server.
  Caller caller = local_caller();
};

using MakeConnector = std::function<std::unique_ptr<Connector>(const ConnectionOwner& owner)>;

class PrivateInstances final : Instance::Owner {
 public:
  // REQUIRES: what is referred to outlives it. `texts` and `access` say what callers differ in
  // beside who they are: a caller for whom that changes gets another connection.
  PrivateInstances(std::string upstream, const McpSettings& settings,
                   std::vector<MakeConnector> connectors, CallerTemplates texts,
                   std::shared_ptr<oauth::Access> access, const std::vector<net::Loop*>& workers,
                   const LinkCounters& counters, metrics::Counter& restarts,
                   std::function<void(const gateway::TaskUpdate&)> notify_task,
                   std::function<void()> notify_asked);

  // Whose connection a call needs; empty if it may use those that are shared. Code::forbidden if
  // the upstream wants to know something of its caller that nobody knows.
  Result<std::optional<std::string>> key_of(const gateway::Call& call) const;

  // The connection of `key`, made if need be; it starts with its first call. Code::overloaded or
  // Code::rate_limited if there are too many.
  Result<std::shared_ptr<Instance>> find(const std::string& key, const gateway::Call& call);

  // Whether the session of the call may get a connection for itself: its settings let sessions
  // share one.
  bool may_separate(const gateway::Call& call) const;

  // The key of that connection, instead of the shared one of `key`.
  static std::string session_key(const gateway::Call& call, const std::optional<std::string>& key);
  Result<std::shared_ptr<Instance>> find_for_session(const std::string& key,
                                                     const gateway::Call& call);
  bool has(const std::string& key);
  // Calls that run on the connection of `key`.
  int running(const std::string& key);

  // The same for a server to which exactly these abilities of its clients are declared. Callers
  // that share connections share these too: `key` is then empty.
  Result<std::shared_ptr<Instance>> find_narrowed(const std::optional<std::string>& key,
                                                  unsigned abilities, const gateway::Call& call);

  void start() { sweeping_.spawn(sweep()); }
  Task<void> stop(Deadline deadline);

 private:
  using InstancePtr = std::shared_ptr<Instance>;
  struct Entry {
    InstancePtr instance;
    std::string owner;  // The id of the caller who made it.
  };

  // The catalog and the state of the upstream are the shared connections' affair.
  void on_items(Instance&, mcp::ItemLists) override {}
  void on_items_refused(Instance&, const Error&) override {}
  void on_updated(Instance&, const std::string&) override {}
  void on_task(Instance&, const gateway::TaskUpdate& update) override { notify_task_(update); }
  void on_asked(Instance&) override { notify_asked_(); }
  std::vector<std::string> subscribed(Instance&) override { return {}; }
  void on_state(Instance&, const gateway::UpstreamState&) override {}

  struct Variant {
    std::string task_prefix{kPrivatePrefix};
    std::optional<unsigned> abilities = {};  // None: those of the settings.
  };

  Result<InstancePtr> find_or_make(const std::string& key, const Variant& variant,
                                   const Caller& caller);
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
  const std::function<void(const gateway::TaskUpdate&)> notify_task_;  // On any worker.
  const std::function<void()> notify_asked_;                           // The same.

  Scope sweeping_;  // Control thread only.

  // Guarded: any worker.
  std::mutex mutex_;
  std::map<std::string, Entry> instances_;
  bool stopped_ = false;
};

}  // namespace patchbay::upstreams
