// Remote sandboxes: an agent that runs on another machine. Its isolation there is unknown.
#include <fmt/format.h>

#include "mcp_client/connect/http.h"
#include "mcp_client/connect/socket.h"
#include "net/io/socket.h"
#include "upstreams/sandbox/engine.h"
#include "upstreams/sandbox/socket_guest.h"

namespace patchbay::upstreams {
namespace {

// Without encryption, no data may leave the machine.
bool stays_here(const SocketEndpoint& endpoint) {
  const auto addresses = net::numeric_addresses(endpoint.host, endpoint.port);
  if (addresses.empty()) return false;
  for (const auto& address : addresses) {
    if (!address.loopback()) return false;
  }
  return true;
}

class RemoteEngine final : public Engine {
 public:
  explicit RemoteEngine(const SandboxSettings& settings) : settings_(settings) {}

  std::string_view isolation() const override { return "remote"; }

  Task<void> prepare() override {
    auto endpoint = tcp_endpoint(settings_.remote.address);
    if (!endpoint) {
      co_return Error{Code::unavailable,
                      fmt::format("remote.address: {}", endpoint.error().message)};
    }
    endpoint_ = *std::move(endpoint);
    if (!settings_.remote.secure) {
      if (stays_here(endpoint_)) co_return ok();
      co_return Error{Code::unavailable,
                      "an agent on another machine is reached over TLS only: set remote.secure"};
    }
    auto tls = client_tls(settings_.remote.tls);
    if (!tls) {
      co_return Error{Code::unavailable, fmt::format("remote.tls: {}", tls.error().message)};
    }
    tls_ = *std::move(tls);
    co_return ok();
  }

  Task<std::unique_ptr<Guest>> start(const SandboxLimits&, Deadline deadline) override {
    auto connected = co_await net::connect_tcp(endpoint_.host, endpoint_.port, deadline);
    if (!connected) co_return connected.error();
    net::set_no_delay(connected->get());
    net::notice_dead_peer(connected->get());
    auto stream = std::make_unique<net::Stream>(*std::move(connected));
    if (tls_) {
      auto secured = co_await stream->start_tls(tls_, endpoint_.host, deadline);
      if (!secured) co_return secured.error();
    }
    co_return std::make_unique<SocketGuest>(std::move(stream), settings_,
                                            std::function<Task<void>()>(), limits_around());
  }

 private:
  const SandboxSettings& settings_;
  SocketEndpoint endpoint_;
  std::shared_ptr<const net::TlsContext> tls_;
};

}  // namespace

std::unique_ptr<Engine> make_remote_engine(const SandboxSettings& settings) {
  return std::make_unique<RemoteEngine>(settings);
}

}  // namespace patchbay::upstreams
