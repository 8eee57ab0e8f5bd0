// The table of frontends, and how each gets its settings from the configuration.
#include <array>

#include "app/configuration.h"
#include "app/registry.h"
#include "frontends/admin/frontend.h"
#include "frontends/auth/frontend.h"
#include "frontends/console/frontend.h"
#include "frontends/goal/frontend.h"
#include "frontends/mcp/frontend.h"
#include "frontends/nodes/frontend.h"
#include "frontends/rest/frontend.h"
#include "frontends/wire/frontend.h"

namespace patchbay::app {
namespace {

frontends::McpFrontendSettings mcp_settings(const Configuration& configuration) {
  const LimitSettings& limits = configuration.settings.limits;
  return {{limits.stream_after,
           limits.stream_keep_alive,
           {limits.replay.value, limits.replay_total.value, limits.replay_time}},
          static_cast<std::size_t>(limits.sessions),
          limits.session_idle,
          limits.max_session_age};
}

frontends::RestFrontendSettings rest_settings(const Configuration& configuration) {
  const LimitSettings& limits = configuration.settings.limits;
  return {configuration.settings.rest, {limits.stream_after, limits.stream_keep_alive}};
}

std::shared_ptr<const frontends::SkillTable> goal_settings(const Configuration& configuration) {
  return std::make_shared<const frontends::SkillTable>(skills(), configuration.settings.goals);
}

frontends::WireFrontendSettings wire_settings(const Configuration& configuration) {
  const Settings& settings = configuration.settings;
  frontends::WireFrontendSettings wire;
  wire.wire = settings.wire.value_or(WireSection());
  wire.tcp.connections = static_cast<std::size_t>(settings.limits.connections);
  wire.tcp.write_time = settings.limits.write_time;
  wire.tcp.grace = settings.stop.grace;
  if (settings.wire && settings.wire->tls) {
    wire.tcp.handshake_time = settings.wire->tls->handshake_time;
    wire.tcp.handshakes = static_cast<std::size_t>(settings.wire->tls->handshakes);
  }
  wire.tcp.proxies = trusted_proxies(settings.proxies);
  wire.tcp.proxy_protocol = settings.proxies.precedes(ListenerKey::wire_tcp);
  wire.rate_keys = static_cast<std::size_t>(settings.limits.rate_keys);
  wire.tls = configuration.wire_tls;
  return wire;
}

std::optional<FrontendListener> wire_listener(const Configuration& configuration) {
  const auto& wire = configuration.settings.wire;
  if (!wire || !wire->listens()) return std::nullopt;
  const bool tls = wire->tls.has_value();
  return FrontendListener{"wire tcp", tls ? "tcps" : "tcp", wire->tcp, tls, "wire.tls", "wire.tcp"};
}

frontends::NodesSettings nodes_settings(const Configuration& configuration) {
  const Settings& settings = configuration.settings;
  const ClusterSection& section = settings.cluster;
  frontends::NodesSettings nodes;
  nodes.links.silence = section.link_timeout;
  nodes.links.streams = static_cast<std::size_t>(section.max_forwarded);
  nodes.links.body = settings.limits.body.value;
  nodes.links.buffer = section.max_forward_buffer_size.value;
  nodes.links.exchange = {settings.limits.write_time, settings.limits.stream_buffer.value};
  return nodes;
}

std::optional<FrontendListener> nodes_listener(const Configuration& configuration) {
  const ClusterSection& section = configuration.settings.cluster;
  if (section.listen.empty()) return std::nullopt;
  return FrontendListener{"cluster", "tls", section.listen, true, "cluster.keys", "cluster.listen"};
}

// People sign in to the console where their tokens come from, unless the settings say otherwise.
frontends::ConsoleFrontendSettings console_settings(const Configuration& configuration) {
  const Settings& settings = configuration.settings;
  frontends::ConsoleFrontendSettings console{settings.console, settings.sign_in.url};
  auto& oidc = console.console.oidc;
  if (!oidc) return console;
  if (oidc->issuer.empty() && !settings.auth.jwt.empty()) {
    oidc->issuer = settings.auth.jwt.front().issuer;
  }
  if (oidc->resource.empty()) oidc->resource = settings.auth.resource;
  return console;
}

frontends::AdminSettings admin_settings(const Configuration& configuration) {
  const Settings& settings = configuration.settings;
  const auto size = [](int number) { return static_cast<std::size_t>(number); };
  return {.live_streams = size(settings.limits.max_live_streams),
          .live_streams_of_caller = size(settings.limits.max_live_streams_per_caller),
          .live_calls_per_second = size(settings.limits.max_live_calls_per_second),
          .audit_queries = settings.audit.max_queries,
          .queued_audit_queries = settings.audit.max_queued_queries,
          .audit_queries_of_caller = size(settings.audit.max_queries_per_caller),
          .queued_admin_jobs = settings.limits.max_queued_admin_jobs,
          .upstreams_with_history = size(settings.telemetry.max_history_upstreams)};
}

const policy::AuthSettings& auth_settings(const Configuration& configuration) {
  return configuration.settings.auth;
}

// The row of a frontend. `settings_of` takes its settings from the configuration.
template <class Shared, auto settings_of>
constexpr FrontendKind row(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .meaning = meaning,
          .make = [](const Configuration& configuration, const frontends::ProcessServices& services)
              -> std::unique_ptr<frontends::SharedFrontend> {
            return std::make_unique<Shared>(settings_of(configuration), services);
          },
          .update =
              [](frontends::SharedFrontend& frontend, const Configuration& configuration) {
                static_cast<Shared&>(frontend).update(settings_of(configuration));
              }};
}

constexpr FrontendKind with_listener(FrontendKind kind, decltype(FrontendKind::listener) listener) {
  kind.listener = listener;
  return kind;
}

constexpr std::array kFrontends{
    row<frontends::SharedMcpFrontend, mcp_settings>("mcp",
                                                    "MCP over Streamable HTTP and over HTTP+SSE."),
    row<frontends::SharedRestFrontend, rest_settings>(
        "rest", "Tools and resources over plain HTTP, with their OpenAPI document."),
    row<frontends::SharedGoalFrontend, goal_settings>(
        "goals", "Goals in natural language, for the built-in skills."),
    row<frontends::SharedAdminFrontend, admin_settings>(
        "admin", "Health, metrics, approvals, registrations and signing in to upstreams."),
    row<frontends::SharedAuthFrontend, auth_settings>(
        "auth", "Metadata of the gateway as an OAuth resource server."),
    row<frontends::SharedConsoleFrontend, console_settings>("console",
                                                            "The web page at /console/."),
    with_listener(row<frontends::SharedWireFrontend, wire_settings>(
                      "wire", "The wire protocol, on TCP and on WebSockets."),
                  wire_listener),
    with_listener(row<frontends::SharedNodesFrontend, nodes_settings>(
                      "nodes", "Requests that other nodes of the cluster pass on."),
                  nodes_listener),
};

}  // namespace

std::span<const FrontendKind> frontend_kinds() { return kFrontends; }

}  // namespace patchbay::app
