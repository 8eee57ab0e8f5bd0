// A WireHost is the shared state of all sessions of the wire protocol on one worker, over TCP and
// over WebSocket: the gateway, the authenticator, the settings, and the list of sessions to notify.
// WireShared is the shared state of the hosts of all workers.
//
// One per worker; confined to it.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "frontends/auth/request_authenticator.h"
#include "frontends/wire/settings.h"
#include "gateway/catalog/view.h"
#include "gateway/server.h"
#include "observe/metrics.h"
#include "policy/auth/replay_guard.h"
#include "policy/rates/rates.h"

namespace patchbay::frontends {

// The settings, and the counts that belong to them. Replaced when the settings change; shared by
// all workers.
struct WireState {
  WireState(const WireSettings& given, std::size_t rate_keys);

  const WireSettings settings;
  policy::Rates rates;  // By authenticated caller, and by connection for all others.
};

struct WireShared {
  explicit WireShared(metrics::Registry& registry);

  policy::ReplayGuard replay;
  std::shared_ptr<metrics::Counter> messages;
  std::shared_ptr<metrics::Counter> faults;  // Messages that were refused.
  std::shared_ptr<metrics::Counter> large;   // Messages above the recommended size.
  std::shared_ptr<metrics::Gauge> sessions;
  std::shared_ptr<metrics::Gauge> websockets;  // Including those with plain MCP.
};

class WireHost {
 public:
  // A session as the receiver of notifications.
  class Session {
   public:
    virtual void notify_changed(gateway::CatalogChanges& update) = 0;
    virtual void notify_updated(gateway::ResourceUpdate& update) = 0;
    virtual void notify_task(const std::string& upstream, const gateway::TaskUpdate& update) = 0;

   protected:
    ~Session() = default;
  };

  // REQUIRES: everything referred to outlives the host.
  WireHost(gateway::McpServer& server, gateway::CatalogView& catalog,
           RequestAuthenticator& authenticator, WireShared& shared,
           std::shared_ptr<WireState> state)
      : server_(server),
        catalog_(catalog),
        authenticator_(authenticator),
        shared_(shared),
        state_(std::move(state)) {}

  void update(std::shared_ptr<WireState> state) { state_ = std::move(state); }

  gateway::McpServer& server() { return server_; }
  const gateway::CatalogView& catalog() const { return catalog_; }
  RequestAuthenticator& authenticator() { return authenticator_; }
  WireShared& shared() { return shared_; }
  // The current settings. A session uses the ones that it began with.
  const std::shared_ptr<WireState>& state() const { return state_; }

  // Empty memory for a message that is sent before anything else is written.
  std::string& scratch();

  void add(Session& session);
  void remove(Session& session);

  void notify_changed(gateway::CatalogChanges& update);
  void notify_updated(gateway::ResourceUpdate& update);
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

 private:
  gateway::McpServer& server_;
  gateway::CatalogView& catalog_;
  RequestAuthenticator& authenticator_;
  WireShared& shared_;
  std::shared_ptr<WireState> state_;
  std::set<Session*> sessions_;
  std::string scratch_;
};

}  // namespace patchbay::frontends
