// Reaches a server that listens on a TCP or Unix socket and speaks as on stdio: one message per
// line.
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

// A place to connect to.
struct SocketEndpoint {
  std::string host;  // Empty: a Unix socket.
  int port = 0;
  std::string path;
};

// "host:port", with brackets around an IPv6 address.
Result<SocketEndpoint> tcp_endpoint(std::string_view address);

class SocketConnector final : public Connector {
 public:
  SocketConnector(SocketEndpoint place, const SocketSettings& settings)
      : place_(std::move(place)), settings_(settings) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  const SocketEndpoint place_;
  const SocketSettings settings_;
};

inline constexpr auto kSocketFields = std::tuple_cat(
    std::tuple{
        config::Field{"instances", &SocketSettings::instances,
                      "How many connections are kept; calls are spread over them.",
                      config::Range{1, 64}},
        config::Field{"connect_time", &SocketSettings::connect_time,
                      "How long a connection may take to be made.",
                      config::Range{config::Duration(10), config::Duration(600'000)}},
        config::Field{"line", &SocketSettings::line,
                      "The longest message it may send; a longer one ends the connection.",
                      config::Range{config::Bytes{1024}, config::Bytes{1 << 30}}},
        config::Field{"outbox", &SocketSettings::outbox,
                      "What may wait for it when it does not read; beyond that, calls are refused.",
                      config::Range{config::Bytes{1024}, config::Bytes{1 << 30}}},
    },
    kMcpFields);

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::fields<upstreams::TcpSettings> =
    std::tuple_cat(std::tuple{Field{"address", &upstreams::TcpSettings::address,
                                    "Where it listens: host:port.", Required{}}},
                   upstreams::kSocketFields);

template <>
inline constexpr auto config::fields<upstreams::UnixSettings> =
    std::tuple_cat(std::tuple{Field{"path", &upstreams::UnixSettings::path,
                                    "The path of its socket.", Required{}}},
                   upstreams::kSocketFields);

}  // namespace patchbay
