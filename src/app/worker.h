// A Worker is one thread that serves: its loop, its view of the catalog, its part of each frontend,
// and its copy of everything on the path of a call. Workers share only objects that are made for
// sharing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/process_state.h"
#include "app/settings.h"
#include "cluster/forwarder.h"
#include "cluster/members.h"
#include "frontends/auth/request_authenticator.h"
#include "frontends/frontend.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "gateway/parked_calls.h"
#include "gateway/pipeline.h"
#include "gateway/server.h"
#include "net/http/server/server.h"
#include "net/io/loop.h"
#include "policy/rates/limiter.h"
#include "trace/call_histories.h"
#include "trace/span_queue.h"

namespace patchbay::app {

// The objects that all workers share. Outlives them.
struct Common {
  // REQUIRES: the state outlives it.
  Common(const Settings& settings, ProcessState& state)
      : keys(state.keys()),
        members(state.store()),
        limiter(settings.limits.calls),
        approvals(state.store()),
        tasks(state.keys()),
        asking(state.keys(), members),
        http(registry),
        authenticator(registry, settings.auth) {}

  const policy::Keyring& keys;
  cluster::Members members;
  metrics::Registry registry;
  policy::Limiter limiter;
  std::shared_ptr<policy::Rates> rates;     // Changed only while no worker reads it.
  std::shared_ptr<policy::AuditLog> audit;  // The same.
  const std::shared_ptr<policy::AuditCounts> audit_counts = std::make_shared<policy::AuditCounts>();
  gateway::StoredResults stored_results;
  gateway::Subscriptions subscriptions;
  gateway::RestrictedCatalogs restricted;
  policy::Approvals approvals;
  const gateway::TaskIds tasks;
  gateway::TaskTools task_tools = {};
  trace::SpanQueue spans;  // Finished calls on their way to the exporter.
  gateway::ParkedCalls::Directory asking;
  net::HttpCounters http;
  trace::CallHistories histories;  // One for each worker, added before it.
  frontends::SharedAuthState authenticator;
  frontends::OperationsView operations;
  gateway::FindRegistrars registrars;
  // In the order of frontend_kinds(). Made before the first worker.
  std::vector<std::unique_ptr<frontends::SharedFrontend>> frontends;
};

class Worker {
 public:
  // REQUIRES: `common` outlives the worker.
  Worker(int number, const Settings& settings, Common& common);
  ~Worker();

  net::Loop& loop() { return loop_; }
  gateway::McpServer& server() { return server_; }
  gateway::ParkedCalls& asking() { return asking_; }
  gateway::CatalogView& catalog() { return catalog_; }
  frontends::RequestAuthenticator& authenticator() { return authenticator_; }

  // Notifies clients that a resource, as its upstream names it, has changed. Callable on any
  // thread; updates that arrive while one is pending are merged with it.
  void notify_updated(const std::string& upstream, const std::string& uri);

  // Notifies clients of the state of a task. Callable on any thread; when too many updates are
  // pending, further ones are dropped.
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

  // Starts and ends the thread.
  void run();
  void join();

  // The following run on the worker's own thread.

  void listen(net::Fd listener);
  // For browsers on this machine, without a proxy.
  void listen_local(net::Fd listener);
  void listen_tls(net::Fd listener, std::shared_ptr<const net::TlsContext> context);
  // A listener of the frontend in that row of frontend_kinds().
  void listen_frontend(std::size_t row, net::Fd listener) {
    frontends_[row]->listen(std::move(listener));
  }
  void update(const Settings& settings);
  void update_tls(std::shared_ptr<const net::TlsContext> context) {
    http_.update_tls(std::move(context));
  }

  // A frontend that serves one connection and is in no row is notified like the others. REQUIRES:
  // it is detached before it is destroyed.
  void attach(frontends::Frontend& frontend) { attached_.push_back(&frontend); }
  void detach(frontends::Frontend& frontend) { std::erase(attached_, &frontend); }

  // Another process accepts connections from now on. Waits until the open ones have ended.
  Task<void> hand_over(Deadline deadline);

  // Clients should go elsewhere, and are served until then.
  void announce_stop() { http_.announce_stop(); }

  void close();
  Task<void> stop(Deadline deadline);

 private:
  Task<void> sweep();
  void pass_on_update(const std::string& upstream, const std::string& uri);
  std::vector<std::unique_ptr<frontends::Frontend>> make_frontends(int number, Common& common);
  std::vector<net::HttpRoute> routes() const;
  gateway::Tracing tracing(const Settings& settings) const;

  const Common& common_;
  net::Loop loop_;
  gateway::CatalogView catalog_;
  trace::CallHistory& history_;
  trace::SpanQueue& spans_;
  gateway::Recorder recorder_;
  gateway::Pipeline pipeline_;
  gateway::McpServer server_;
  gateway::ParkedCalls asking_;
  frontends::RequestAuthenticator authenticator_;
  cluster::Forwarder forwarder_;
  const std::vector<std::unique_ptr<frontends::Frontend>> frontends_;
  std::vector<frontends::Frontend*> attached_;
  net::HttpServer http_;
  std::atomic<int> task_updates_ = 0;  // Posted to this worker and not run yet.
  std::mutex updates_mutex_;
  std::set<std::pair<std::string, std::string>> updates_;  // Posted to this worker and not run yet.
  Scope background_;
  std::thread thread_;
};

}  // namespace patchbay::app
