#include "frontends/mcp/frontend.h"

namespace patchbay::frontends {
namespace {

class McpFrontend final : public Frontend {
 public:
  McpFrontend(const SharedMcpFrontend& shared, McpHttp::Shared& http, McpSse::Shared& sse,
              const WorkerServices& worker)
      : shared_(shared),
        http_(worker.number, worker.server, http, worker.forwarder, shared.http_settings()),
        sse_(worker.number, worker.server, sse, {http.sessions.members, worker.forwarder},
             shared.http_settings().keep_alive) {
    http.workers.push_back(&http_);
    http.sessions.workers.push_back(&http_.sessions());
    http.sessions.executors.push_back(&worker.executor);
    sse.workers.push_back(&sse_);
    sse.executors.push_back(&worker.executor);
  }

  std::vector<net::HttpRoute> routes() override {
    return {{"/mcp", "POST, GET, DELETE", &http_},
            {"/sse", "GET", &sse_.stream()},
            {"/message", "POST", &sse_.message()},
            {"/mcp/message", "POST", &sse_.message()}};
  }

  void update() override {
    http_.update(shared_.http_settings());
    sse_.set_keep_alive(shared_.http_settings().keep_alive);
  }

  void catalog_changed(gateway::CatalogChanges& changes) override {
    http_.notify_changed(changes);
    sse_.notify_changed(changes);
  }

  void resource_updated(gateway::ResourceUpdate& update) override {
    http_.notify_updated(update);
    sse_.notify_updated(update);
  }

  void task_changed(const std::string& upstream, const gateway::TaskUpdate& update) override {
    http_.notify_task(upstream, update);
    sse_.notify_task(upstream, update);
  }

  void sweep() override { http_.sweep(); }
  void stop_accepting() override { http_.hand_over(); }
  Task<void> stop(Deadline) override { return http_.stop(); }

 private:
  const SharedMcpFrontend& shared_;
  McpHttp http_;
  McpSse sse_;
};

}  // namespace

SharedMcpFrontend::SharedMcpFrontend(const McpFrontendSettings& settings,
                                     const ProcessServices& services)
    : http_(services.keys, services.store, services.members) {
  update(settings);
  constexpr auto kHelp = "Sessions that are open.";
  services.registry.watch_gauge(
      "patchbay_sessions", kHelp,
      [this] { return static_cast<double>(http_.sessions.count.load()); },
      metrics::labels({{"transport", "http"}}));
  services.registry.watch_gauge(
      "patchbay_sessions", kHelp, [this] { return static_cast<double>(sse_.sessions.load()); },
      metrics::labels({{"transport", "sse"}}));
}

void SharedMcpFrontend::update(const McpFrontendSettings& settings) {
  settings_ = settings;
  http_.sessions.most = settings.max_sessions;
  http_.sessions.max_age = settings.max_session_age.count();
  http_.sessions.idle = std::chrono::duration_cast<Clock::duration>(settings.session_idle).count();
}

std::unique_ptr<Frontend> SharedMcpFrontend::make(const WorkerServices& worker) {
  return std::make_unique<McpFrontend>(*this, http_, sse_, worker);
}

std::vector<SharedFrontend::Entrance> SharedMcpFrontend::entrances() const {
  return {{"mcp http", {"/mcp"}}, {"mcp sse", {"/sse"}}};
}

}  // namespace patchbay::frontends
