#include "frontends/nodes/frontend.h"

#include "cluster/link_keys.h"
#include "net/io/listener.h"
#include "net/io/socket.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

class NodesFrontend final : public Frontend {
 public:
  NodesFrontend(const SharedNodesFrontend& shared, const cluster::Members& members,
                net::HttpCounters& counters)
      : shared_(shared),
        members_(members),
        counters_(counters),
        settings_(shared.settings()),
        tls_(shared.tls()),
        accepting_(counters.refused, [this](net::Fd fd, const net::PeerAddress& from, bool) {
          admit(std::move(fd), from);
        }) {}

  void use_routes(const net::HttpRoutes& routes) override { routes_ = &routes; }
  void listen(net::Fd listener) override { accepting_.start(std::move(listener), true); }
  void update() override {
    settings_ = shared_.settings();
    tls_ = shared_.tls();
  }
  void stop_accepting() override { accepting_.close(); }
  void close() override {
    accepting_.close();
    idle_.request();
  }
  Task<void> stop(Deadline deadline) override;

 private:
  void admit(net::Fd fd, const net::PeerAddress& from);
  Task<void> serve(net::Fd fd, net::PeerAddress from);

  const SharedNodesFrontend& shared_;
  const cluster::Members& members_;
  net::HttpCounters& counters_;
  NodesSettings settings_;
  std::shared_ptr<const net::TlsContext> tls_;
  const net::HttpRoutes* routes_ = nullptr;
  net::Accepting accepting_;
  net::Handshakes handshakes_;
  Stop idle_;  // Observed by every link when the server stops.
  Scope links_;
};

void NodesFrontend::admit(net::Fd fd, const net::PeerAddress& from) {
  if (links_.size() >= settings_.connections) {
    counters_.refused->add();
    return;
  }
  net::set_no_delay(fd.get());
  net::notice_dead_peer(fd.get());
  links_.spawn(serve(std::move(fd), from));
}

Task<void> NodesFrontend::serve(net::Fd fd, net::PeerAddress from) {
  net::Stream stream(std::move(fd));
  auto starting = stream.start_tls(tls_, "", here().now() + settings_.handshake_time);
  auto served = co_await handshakes_.run(std::move(starting), settings_.handshakes, idle_);
  if (!served) {
    log::Line(log::Level::warn, "a node was refused")
        .add("from", from.text())
        .add("why", served.error().message)
        .add("setting", "cluster.keys");
    co_return served;
  }
  cluster::IncomingLink link(stream, members_, *routes_, settings_.links);
  co_return co_await link.run(idle_);
}

Task<void> NodesFrontend::stop(Deadline deadline) {
  auto accepted = co_await accepting_.stop();
  if (!accepted) co_return accepted;
  co_return co_await links_.finish(deadline);
}

}  // namespace

SharedNodesFrontend::SharedNodesFrontend(const NodesSettings& settings,
                                         const ProcessServices& services)
    : keys_(services.keys), members_(services.members), counters_(services.connections) {
  update(settings);
}

void SharedNodesFrontend::update(const NodesSettings& settings) {
  settings_ = settings;
  tls_ = net::TlsContext::server_of(cluster::link_keys(keys_));
}

std::unique_ptr<Frontend> SharedNodesFrontend::make(const WorkerServices&) {
  return std::make_unique<NodesFrontend>(*this, members_, counters_);
}

}  // namespace patchbay::frontends
