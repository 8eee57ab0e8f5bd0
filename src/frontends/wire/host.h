// A WireHost is what all sessions of the wire protocol on one worker have in common, whichever face
// they came in by: the gateway behind them, the door, the terms, and the list of those who want to
// hear news. WireShared is what the hosts of all workers share.
//
// One per worker; confined to it.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "frontends/auth/authenticator.h"
#include "frontends/wire/settings.h"
#include "gateway/catalog/view.h"
#include "gateway/server.h"
#include "observe/metrics.h"
#include "policy/auth/replay_guard.h"
#include "policy/rates/rates.h"

namespace patchbay::frontends {

class WireSession;

// The settings, and the counts that belong to them. Made anew when the settings change; shared by
// all workers.
struct WireTerms {
  WireTerms(const WireSettings& said, std::size_t rate_keys);

  const WireSettings settings;
  policy::Rates by_caller;   // Of those who have said who they are,
  policy::Rates by_address;  // and of everyone else.
};

struct WireShared {
  explicit WireShared(metrics::Registry& registry);

  policy::ReplayGuard replay;
  std::shared_ptr<metrics::Counter> messages;
  std::shared_ptr<metrics::Counter> faults;  // Messages that were refused.
  std::shared_ptr<metrics::Counter> large;   // Messages above the size that is recommended.
  std::shared_ptr<metrics::Gauge> sessions;
};

class WireHost {
 public:
  // REQUIRES: everything referred to outlives the host.
  WireHost(gateway::McpServer& server, gateway::CatalogView& catalog, Door& door,
           WireShared& shared, std::shared_ptr<WireTerms> terms)
      : server_(server),
        catalog_(catalog),
        door_(door),
        shared_(shared),
        terms_(std::move(terms)) {}

  void update(std::shared_ptr<WireTerms> terms) { terms_ = std::move(terms); }

  gateway::McpServer& server() { return server_; }
  const gateway::CatalogView& catalog() const { return catalog_; }
  Door& door() { return door_; }
  WireShared& shared() { return shared_; }
  // Those in force now. A session keeps the ones that it began with.
  const std::shared_ptr<WireTerms>& terms() const { return terms_; }

  // Empty memory to write a message into that is sent before anything else is written.
  std::string& scratch();

  void add(WireSession& session);
  void remove(WireSession& session);

  void tell_changed(gateway::CatalogNews& news);
  void tell_updated(gateway::ResourceNews& news);
  void tell_task(const std::string& upstream, const gateway::TaskNews& news);

 private:
  gateway::McpServer& server_;
  gateway::CatalogView& catalog_;
  Door& door_;
  WireShared& shared_;
  std::shared_ptr<WireTerms> terms_;
  std::set<WireSession*> sessions_;
  std::string scratch_;
};

}  // namespace patchbay::frontends
