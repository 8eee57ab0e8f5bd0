#include "frontends/wire/frontend.h"

#include "frontends/wire/ws.h"

namespace patchbay::frontends {
namespace {

class WireFrontend final : public Frontend {
 public:
  WireFrontend(const SharedWireFrontend& shared, WireShared& counts, net::HttpCounters& connections,
               const WorkerServices& worker)
      : shared_(shared),
        host_(worker.server, worker.catalog, worker.authenticator, counts, shared.state()),
        tcp_(host_, connections, shared.settings().tcp),
        tls_(shared.settings().tls),
        ws_(host_, shared.settings().tcp.write_time) {}

  std::vector<net::HttpRoute> routes() override {
    return {{.path = "/mcp", .methods = "", .handler = nullptr, .upgrade = &ws_}};
  }

  void listen(net::Fd listener) override { tcp_.start(std::move(listener), tls_); }

  void update() override {
    host_.update(shared_.state());
    tcp_.update(shared_.settings().tcp);
    // Whether a listener has TLS never changes, but its certificate does.
    if (shared_.settings().tls) {
      tls_ = shared_.settings().tls;
      tcp_.update_tls(tls_);
    }
    ws_.set_write_time(shared_.settings().tcp.write_time);
  }

  void catalog_changed(gateway::CatalogChanges& changes) override {
    host_.notify_changed(changes);
    ws_.notify_changed(changes);
  }

  void resource_updated(gateway::ResourceUpdate& update) override {
    host_.notify_updated(update);
    ws_.notify_updated(update);
  }

  void task_changed(const std::string& upstream, const gateway::TaskUpdate& update) override {
    host_.notify_task(upstream, update);
    ws_.notify_task(upstream, update);
  }

  void stop_accepting() override { tcp_.stop_accepting(); }
  void close() override { tcp_.close(); }
  Task<void> stop(Deadline deadline) override { return tcp_.stop(deadline); }

 private:
  const SharedWireFrontend& shared_;
  WireHost host_;
  WireTcp tcp_;
  std::shared_ptr<const net::TlsContext> tls_;  // Of the TCP listener; null: plain.
  WireWs ws_;
};

}  // namespace

SharedWireFrontend::SharedWireFrontend(WireFrontendSettings settings,
                                       const ProcessServices& services)
    : connections_(services.connections), shared_(services.registry) {
  update(std::move(settings));
}

void SharedWireFrontend::update(WireFrontendSettings settings) {
  settings_ = std::move(settings);
  const WireSettings& wire = settings_.wire;
  // Rate counts of callers are preserved unless the settings change.
  if (!state_ || state_->settings != wire) {
    state_ = std::make_shared<WireState>(wire, settings_.rate_keys);
  }
  shared_.replay.update({std::chrono::seconds(wire.replay_window_s), wire.message_id_timeout,
                         static_cast<std::size_t>(wire.replay_ids)});
}

std::unique_ptr<Frontend> SharedWireFrontend::make(const WorkerServices& worker) {
  return std::make_unique<WireFrontend>(*this, shared_, connections_, worker);
}

}  // namespace patchbay::frontends
