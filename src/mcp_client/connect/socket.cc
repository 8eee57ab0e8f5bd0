#include "mcp_client/connect/socket.h"

#include "config/fields.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>

#include "async/executor.h"
#include "net/io/socket.h"
#include "transport/line_channel.h"

namespace patchbay::upstreams {
namespace {

class SocketConnection final : public Connection {
 public:
  SocketConnection(net::Fd in, net::Fd out, const SocketSettings& settings,
                   const SocketEndpoint& endpoint)
      : channel_(std::move(in), std::move(out), {settings.line.value, settings.outbox.value}) {
    channel_.set_server(endpoint.host, endpoint.port);
  }

  transport::Channel& channel() override { return channel_; }
  Task<void> end(bool) override {
    channel_.close();
    co_return ok();
  }

 private:
  transport::LineChannel channel_;
};

}  // namespace

Result<SocketEndpoint> tcp_endpoint(std::string_view address) {
  const auto colon = address.rfind(':');
  auto host = address.substr(0, colon);
  const auto digits = colon == std::string_view::npos ? "" : address.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  SocketEndpoint endpoint{std::string(host), 0, ""};
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  const bool number = fault == std::errc() && end == digits.data() + digits.size();
  if (host.empty() || !number || endpoint.port < 1 || endpoint.port > 65535) {
    return Error{Code::invalid_params, fmt::format("'{}' is not host:port", address)};
  }
  return endpoint;
}

Task<std::unique_ptr<Connection>> SocketConnector::connect(Deadline deadline) {
  net::Fd fd;
  if (endpoint_.host.empty()) {
    auto connected = net::connect_unix(endpoint_.path);
    if (!connected) co_return connected.error();
    fd = *std::move(connected);
  } else {
    const Deadline by = std::min(deadline, here().now() + settings_.connect_time);
    auto connected = co_await net::connect_tcp(endpoint_.host, endpoint_.port, by);
    if (!connected) co_return connected.error();
    fd = *std::move(connected);
    net::set_no_delay(fd.get());
    net::notice_dead_peer(fd.get());
  }
  // Each direction ends by itself, so each has its own descriptor.
  net::Fd out(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!out) co_return Error{Code::unavailable, "no descriptor is left"};
  co_return std::make_unique<SocketConnection>(std::move(fd), std::move(out), settings_, endpoint_);
}

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::SocketSettings>() {
  static const Fields kFields = join(
      {fields_of<upstreams::SocketSettings>({
           {"instances", &upstreams::SocketSettings::instances,
            "Number of connections. Calls are distributed over them.", config::Range{1, 64}},
           {"connect_timeout", &upstreams::SocketSettings::connect_time,
            "Maximum time to establish a connection.",
            config::Range{config::Duration(10), config::Duration(600'000)},
            config::Alias{"connect_time"}},
           {"max_message_size", &upstreams::SocketSettings::line,
            "Maximum size of a message from the server. A larger one closes the connection.",
            config::Range{config::Bytes{1024}, config::Bytes{1 << 30}}, config::Alias{"line"}},
           {"max_outbox_size", &upstreams::SocketSettings::outbox,
            "Maximum size of the data queued for a server that does not read. Beyond it, "
            "calls are refused.",
            config::Range{config::Bytes{1024}, config::Bytes{1 << 30}}, config::Alias{"outbox"}},
       }),
       inherited<upstreams::SocketSettings, upstreams::McpSettings>()});
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::TcpSettings>() {
  static const Fields kFields =
      join({fields_of<upstreams::TcpSettings>({{"address", &upstreams::TcpSettings::address,
                                                "Address of the server: host:port.", Required{}}}),
            inherited<upstreams::TcpSettings, upstreams::SocketSettings>()});
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::UnixSettings>() {
  static const Fields kFields =
      join({fields_of<upstreams::UnixSettings>({{"path", &upstreams::UnixSettings::path,
                                                 "Path of the server's socket.", Required{}}}),
            inherited<upstreams::UnixSettings, upstreams::SocketSettings>()});
  return kFields;
}

}  // namespace patchbay
