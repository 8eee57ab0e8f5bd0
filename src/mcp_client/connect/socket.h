// Reaches a server that listens on a TCP or Unix socket and uses the format of stdio: one message
// per line.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <string>

#include "mcp_client/connect/connector.h"
#include "mcp_client/settings.h"

namespace patchbay::upstreams {

struct SocketSettings : McpSettings {
  int instances = 1;
  config::Duration connect_time{5'000};
  config::Bytes line{16 << 20};
  config::Bytes outbox{16 << 20};
};

struct TcpSettings : SocketSettings {
  std::string address;
};

struct UnixSettings : SocketSettings {
  std::string path;
};

// An address to connect to.
struct SocketEndpoint {
  std::string host;  // Empty: a Unix socket.
  int port = 0;
  std::string path;
};

// "host:port", with brackets around an IPv6 address.
Result<SocketEndpoint> tcp_endpoint(std::string_view address);

class SocketConnector final : public Connector {
 public:
  SocketConnector(SocketEndpoint endpoint, const SocketSettings& settings)
      : endpoint_(std::move(endpoint)), settings_(settings) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  const SocketEndpoint endpoint_;
  const SocketSettings settings_;
};

}  // namespace patchbay::upstreams

namespace patchbay {

// What both kinds of sockets have.
template <>
const config::Fields& config::fields<upstreams::SocketSettings>();

template <>
const config::Fields& config::fields<upstreams::TcpSettings>();

template <>
const config::Fields& config::fields<upstreams::UnixSettings>();

}  // namespace patchbay
