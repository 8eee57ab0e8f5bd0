#include "cli/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/command_line.h"
#include "core/discard.h"
#include "core/environment.h"
#include "mcp_client/connect/http.h"
#include "mcp_client/connect/stdio.h"
#include "mcp_client/connect/wire.h"
#include "mcp_client/connect/ws.h"
#include "transport/wire/url.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kStdio = "stdio:";
constexpr const char* kToken = "PATCHBAY_TOKEN";
constexpr auto kProbeTime = std::chrono::seconds(3);

// The names of all variables of our own environment.
std::vector<std::string> variables() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    if (name != kToken) names.emplace_back(name);  // It is for gateways.
  }
  return names;
}

Result<std::unique_ptr<upstreams::Connector>> wire_connector(
    const std::string& target, const upstreams::TlsSettings& tls_settings,
    const std::string& token) {
  auto url = transport::parse_wire_url(target);
  if (!url) return url.error();
  std::shared_ptr<const net::TlsContext> tls;
  if (url->tls) {
    auto made = net::TlsContext::client({tls_settings.ca, tls_settings.cert, tls_settings.key,
                                         tls_settings.server_name, tls_settings.verify});
    if (!made) return made.error();
    tls = *std::move(made);
  }
  upstreams::WireTcpSettings settings;
  settings.token = token;
  return std::make_unique<upstreams::WireConnector>(*url, std::move(tls), settings);
}

Result<std::unique_ptr<upstreams::Connector>> ws_connector(const std::string& target,
                                                           const upstreams::TlsSettings& tls,
                                                           const std::string& token) {
  upstreams::WsSettings settings;
  settings.url = target;
  settings.tls = tls;
  settings.token = token;
  auto endpoint = upstreams::ws_target(settings);
  if (!endpoint) return endpoint.error();
  return std::make_unique<upstreams::WsConnector>(*std::move(endpoint), settings);
}

bool is_ws_url(std::string_view text) {
  return text.starts_with("ws://") || text.starts_with("wss://");
}

}  // namespace

bool is_target(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with(kStdio) ||
         transport::is_wire_url(text) || is_ws_url(text);
}

std::string default_target() {
  const std::string named = read_variable("PATCHBAY_URL").value_or("");
  return named.empty() ? "http://127.0.0.1:8080/mcp" : named;
}

std::string default_token() { return take_variable(kToken).value_or(""); }

Result<std::unique_ptr<upstreams::Connector>> Client::make_connector() const {
  if (transport::is_wire_url(target_)) return wire_connector(target_, tls_, token_);
  if (is_ws_url(target_)) return ws_connector(target_, tls_, token_);
  if (!target_.starts_with(kStdio)) {
    upstreams::HttpSettings settings;
    settings.tls = tls_;
    if (!token_.empty()) settings.headers.emplace_back("Authorization", "Bearer " + token_);
    auto target = upstreams::http_target(settings, target_);
    if (!target) return target.error();
    return std::make_unique<upstreams::HttpConnector>(
        *target, upstreams::http_candidates(target->url, "http"));
  }
  auto command = std::string_view(target_).substr(kStdio.size());
  if (command.starts_with("//")) command.remove_prefix(2);
  auto args = split_args(command);
  if (!args) return args.error();
  if (args->empty()) return Error{Code::invalid_params, "stdio: needs a command"};
  upstreams::StdioSettings settings;
  settings.command = args->front();
  settings.args.assign(args->begin() + 1, args->end());
  settings.env_pass = variables();
  return std::make_unique<upstreams::ChildConnector>("target", settings);
}

Task<void> Client::open(Deadline deadline) {
  auto connector = make_connector();
  if (!connector) co_return connector.error();
  for (;;) {
    auto connection = co_await (*connector)->connect(deadline);
    if (!connection) co_return connection.error();
    connection_ = *std::move(connection);
    upstreams::McpLink::Events& events = *this;
    link_.emplace(connection_->channel(), events, counters_);
    connection_->channel().start(*link_);
    auto opened = co_await link_->open(upstreams::HandshakeMode::ask, kProbeTime, deadline);
    if (opened) co_return ok();
    auto why = co_await connection_->reason(opened.error().message);
    const bool again = connection_->misunderstood() && (*connector)->try_next_candidate();
    auto closed = co_await close();
    discard(closed, "the connection has failed already");
    if (!again) co_return Error{opened.error().code, why ? *why : opened.error().message};
  }
}

Task<void> Client::close() {
  if (!connection_) co_return ok();
  auto finished = co_await link_->finish();
  discard(finished, "the connection is closed in any case");
  auto ended = co_await connection_->end(true);
  link_.reset();
  connection_.reset();
  co_return ended;
}

}  // namespace patchbay::app
