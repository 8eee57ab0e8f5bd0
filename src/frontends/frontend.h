// A Frontend accepts requests in one protocol and turns them into calls: MCP, REST, goals, the wire
// protocol, the pages for operators. It has two parts: a SharedFrontend, one for the process, and a
// Frontend on each worker. app/registry.h has a row for each; no other code names them.
//
// A Frontend is confined to its worker. A SharedFrontend is made and updated on the control thread;
// workers read its settings only in update(), and in the constructor of their part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "async/timers.h"
#include "cluster/forwarder.h"
#include "cluster/members.h"
#include "crypto/keyring.h"
#include "frontends/operations.h"
#include "gateway/call/record.h"
#include "gateway/call/upstream.h"
#include "gateway/catalog/changes.h"
#include "gateway/catalog/view.h"
#include "gateway/registrar.h"
#include "gateway/server.h"
#include "net/http/server/server.h"
#include "net/io/fd.h"
#include "oauth/token_service.h"
#include "observe/metrics.h"
#include "policy/rules/approvals.h"
#include "store/store.h"
#include "trace/call_histories.h"

namespace patchbay::frontends {

class RequestAuthenticator;

// The services that all frontends of the process may use. Outlives them.
struct ProcessServices {
  metrics::Registry& registry;
  const OperationsView& operations;
  policy::Approvals& approvals;
  const gateway::FindRegistrars& registrars;
  oauth::TokenService& tokens;
  net::HttpCounters& connections;
  const trace::CallHistories& histories;
  const policy::Keyring& keys;
  store::Store& store;
  const cluster::Members& members;
};

// The services that the frontends of one worker may use. Outlives them.
struct WorkerServices {
  int number;  // Of the worker, from 0.
  Executor& executor;
  gateway::McpServer& server;
  gateway::CatalogView& catalog;
  gateway::Recorder& recorder;
  RequestAuthenticator& authenticator;
  cluster::Forwarder& forwarder;
};

class Frontend {
 public:
  virtual ~Frontend() = default;

  // The paths that it answers over HTTP. A row without a handler adds its `upgrade` to the row of
  // another frontend with the same path. REQUIRES of the rows: the handlers are members.
  virtual std::vector<net::HttpRoute> routes() { return {}; }

  // The paths of all frontends of the worker, once they are known. REQUIRES: they outlive this.
  virtual void use_routes(const net::HttpRoutes&) {}

  // Accepts connections from a listener of its own (FrontendKind::listener).
  virtual void listen(net::Fd) {}

  // The shared part has new settings.
  virtual void update() {}

  // Notifications for clients: changes of lists, of resources, and of the state of tasks.
  virtual void catalog_changed(gateway::CatalogChanges&) {}
  virtual void resource_updated(gateway::ResourceUpdate&) {}
  virtual void task_changed(const std::string& /*upstream*/, const gateway::TaskUpdate&) {}

  // Called about once a second to remove expired state.
  virtual void sweep() {}

  // Another process accepts connections from now on; the open ones are served until close().
  virtual void stop_accepting() {}

  // Stops accepting connections, and ends those without a request in progress.
  virtual void close() {}

  // Waits for requests in progress until `deadline`, then cancels them.
  virtual Task<void> stop(Deadline) { co_return ok(); }
};

class SharedFrontend {
 public:
  virtual ~SharedFrontend() = default;

  // The part of one worker. Called for each worker in order, before any of them runs. REQUIRES:
  // this outlives the result.
  virtual std::unique_ptr<Frontend> make(const WorkerServices& worker) = 0;

  // The addresses at which people reach it, for the banner: a name and some of its paths.
  struct Entrance {
    std::string_view name;
    std::vector<std::string_view> paths;
  };
  virtual std::vector<Entrance> entrances() const { return {}; }
};

}  // namespace patchbay::frontends
