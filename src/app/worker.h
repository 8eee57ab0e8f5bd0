// A Worker is one thread that serves: its loop, its view of the catalog, and its copy of everything
// on the path of a call. Workers share only what is made for it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "app/settings.h"
#include "frontends/admin/approvals_page.h"
#include "frontends/admin/registrations_page.h"
#include "frontends/admin/sign_in_pages.h"
#include "frontends/admin/sign_ins_control.h"
#include "frontends/auth/authenticator.h"
#include "frontends/auth/resource_metadata.h"
#include "frontends/goal/frontend.h"
#include "frontends/mcp/http.h"
#include "frontends/mcp/sse.h"
#include "frontends/operations.h"
#include "frontends/rest/openapi_page.h"
#include "frontends/rest/rest.h"
#include "frontends/rest/swagger_ui.h"
#include "frontends/wire/tcp.h"
#include "frontends/wire/ws.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "gateway/parked_calls.h"
#include "gateway/pipeline.h"
#include "gateway/server.h"
#include "net/http/server/server.h"
#include "net/io/loop.h"
#include "policy/rates/limiter.h"

namespace patchbay::app {

// What all workers have in common. Outlives them.
struct Common {
  Common(const Settings& settings, policy::Sealer sealer)
      : limiter(settings.limits.calls),
        tasks(sealer),
        asking(sealer),
        http(registry),
        wire(registry),
        authenticator(registry, settings.auth) {}

  metrics::Registry registry;
  policy::Limiter limiter;
  std::shared_ptr<policy::Rates> rates;     // Changed only while no worker looks.
  std::shared_ptr<policy::AuditLog> audit;  // The same.
  gateway::StoredResults stored_results;
  gateway::Subscriptions subscriptions;
  gateway::RestrictedCatalogs restricted;
  policy::Approvals approvals;
  const gateway::TaskIds tasks;
  gateway::TaskTools task_tools = {};
  gateway::ParkedCalls::Directory asking;
  frontends::McpHttp::Shared mcp_http;
  frontends::McpSse::Shared mcp_sse;
  net::HttpCounters http;
  frontends::WireShared wire;
  std::shared_ptr<frontends::WireState> wire_terms;  // Changed only while no worker looks.
  frontends::SharedAuthState authenticator;
  frontends::OperationsView operations;
  gateway::FindRegistrars registrars;
  frontends::OpenApiDocuments documents;
  oauth::TokenService* tokens = nullptr;  // Set before there are workers.
};

class Worker {
 public:
  // REQUIRES: `common` outlives the worker.
  Worker(int number, const Settings& settings, Common& common);
  ~Worker();

  net::Loop& loop() { return loop_; }
  frontends::McpHttp& mcp_http() { return mcp_http_; }
  frontends::McpSse& mcp_sse() { return mcp_sse_; }
  frontends::GoalFrontend& goals() { return goals_; }
  gateway::McpServer& server() { return server_; }
  gateway::ParkedCalls& asking() { return asking_; }
  gateway::CatalogView& catalog() { return catalog_; }
  frontends::RequestAuthenticator& authenticator() { return authenticator_; }
  frontends::WireHost& wire() { return wire_; }

  // Tells clients that a resource, in the words of its upstream, has changed. Callable on any
  // thread; what is told faster than it can be passed on is told once.
  void notify_updated(const std::string& upstream, const std::string& uri);

  // Tells clients how a task stands. Callable on any thread; what comes faster than it can be
  // passed on is dropped.
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

  // Starts and ends the thread.
  void run();
  void join();

  // The following run on the worker's own thread.

  void listen(net::Fd listener);
  void listen_tls(net::Fd listener, std::shared_ptr<const net::TlsContext> context);
  // Without a context, in the clear.
  void listen_wire(net::Fd listener, std::shared_ptr<const net::TlsContext> context) {
    wire_tcp_.start(std::move(listener), std::move(context));
  }
  void update_wire_tls(std::shared_ptr<const net::TlsContext> context) {
    wire_tcp_.update_tls(std::move(context));
  }
  void update(const Settings& settings);
  void update_tls(std::shared_ptr<const net::TlsContext> context) {
    http_.update_tls(std::move(context));
  }
  using NotifyUpdated = std::function<void(gateway::ResourceUpdate& update)>;
  void on_updated(NotifyUpdated notify) { notify_more_ = std::move(notify); }
  using NotifyTask =
      std::function<void(const std::string& upstream, const gateway::TaskUpdate& update)>;
  void on_task(NotifyTask notify) { notify_more_of_task_ = std::move(notify); }
  void close() {
    http_.close();
    wire_tcp_.close();
  }
  Task<void> stop(Deadline deadline);

 private:
  Task<void> sweep();
  void pass_on_update(const std::string& upstream, const std::string& uri);

  const Common& common_;
  net::Loop loop_;
  gateway::CatalogView catalog_;
  gateway::Recorder recorder_;
  gateway::Pipeline pipeline_;
  gateway::McpServer server_;
  gateway::ParkedCalls asking_;
  frontends::McpHttp mcp_http_;
  frontends::McpSse mcp_sse_;
  frontends::GoalFrontend goals_;
  frontends::Rest rest_;
  frontends::OpenApiPage openapi_;
  frontends::SwaggerUi swagger_ui_;
  frontends::Health health_;
  frontends::Readiness readiness_;
  frontends::MetricsPage metrics_page_;
  frontends::ResourcePage resource_page_;
  frontends::ApprovalsPage approvals_page_;
  frontends::RegistrationsPage registrations_page_;
  frontends::SignInPages sign_in_pages_;
  frontends::SignInsControl sign_ins_control_;
  frontends::RequestAuthenticator authenticator_;
  frontends::WireHost wire_;
  frontends::WireTcp wire_tcp_;
  frontends::WireWs wire_ws_;
  net::HttpServer http_;
  NotifyUpdated notify_more_;  // A front end that is not over HTTP.
  NotifyTask notify_more_of_task_;
  std::atomic<int> task_updates_ = 0;  // Told, and not passed on yet.
  std::mutex updates_mutex_;
  std::set<std::pair<std::string, std::string>> updates_;  // Told, and not passed on yet.
  Scope background_;
  std::thread thread_;
};

}  // namespace patchbay::app
