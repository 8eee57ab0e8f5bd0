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
  SocketConnector(SocketEndpoint endpoint, const SocketSettings& settings)
      : endpoint_(std::move(endpoint)), settings_(settings) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  const SocketEndpoint endpoint_;
  const SocketSettings settings_;
};

inline constexpr auto kSocketFields = std::tuple_cat(
    std::tuple{
        config::Field{"instances", &SocketSettings::instances,
                      "Number of connections. Calls are distributed over them.",
                      config::Range{1, 64}},
        config::Field{"connect_timeout", &SocketSettings::connect_time,
                      "Maximum time to establish a connection.",
                      config::Range{config::Duration(10), config::Duration(600'000)},
                      config::Alias{"connect_time"}},
        config::Field{
            "max_message_size", &SocketSettings::line,
            "Maximum size of a message from the server. A larger one closes the connection.",
            config::Range{config::Bytes{1024}, config::Bytes{1 << 30}}, config::Alias{"line"}},
        config::Field{"max_outbox_size", &SocketSettings::outbox,
                      "Maximum size of the data queued for a server that does not read. Beyond it, "
                      "calls are refused.",
                      config::Range{config::Bytes{1024}, config::Bytes{1 << 30}},
                      config::Alias{"outbox"}},
    },
    kMcpFields);

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::fields<upstreams::TcpSettings> =
    std::tuple_cat(std::tuple{Field{"address", &upstreams::TcpSettings::address,
                                    "Address of the server: host:port.", Required{}}},
                   upstreams::kSocketFields);

template <>
inline constexpr auto config::fields<upstreams::UnixSettings> =
    std::tuple_cat(std::tuple{Field{"path", &upstreams::UnixSettings::path,
                                    "Path of the server's socket.", Required{}}},
                   upstreams::kSocketFields);

}  // namespace patchbay
