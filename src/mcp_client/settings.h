// What can be said about every upstream that is an MCP server, however it is reached.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "gateway/catalog/list_limits.h"
#include "mcp/capabilities.h"

namespace patchbay::upstreams {

struct RestartSettings {
  config::Duration first{100};
  config::Duration most{30'000};
  int breaker = 5;
  config::Duration window{60'000};
};

struct HealthSettings {
  config::Duration interval{30'000};
  config::Duration timeout{5'000};
  int failures = 2;
};

struct TaskSettings {
  config::Duration fastest{100};
  config::Duration slowest{5'000};
  int most = 1'000;
  config::Duration keep{300'000};
  config::Bytes stored{16 << 20};
};

enum class Spoken : std::uint8_t {
  newest,  // That the server knows.
  v2024_11_05,
  v2025_03_26,
  v2025_06_18,
  v2025_11_25,
  v2026_07_28,
};

enum class IdType : std::uint8_t { number, string };

struct ClientSettings {
  std::string name;
  std::string version;
  std::vector<std::string> capabilities;
};

struct ProtocolSettings {
  Spoken revision = Spoken::newest;
  IdType ids = IdType::number;
  ClientSettings client;
};

enum class Isolation : std::uint8_t { shared, per_session, per_principal };

struct McpSettings {
  config::Duration timeout{0};
  config::Duration start_time{30'000};
  config::Duration max_start_time{600'000};
  config::Duration probe_time{3'000};
  RestartSettings restart;
  HealthSettings health;
  TaskSettings tasks;
  ProtocolSettings protocol;
  Isolation isolation = Isolation::per_principal;
  int max_notifications = 1'000;
  config::Duration idle{300'000};
  int most = 100;
  // Not in the table of one kind: limits from the settings that every upstream has, and the
  // abilities of clients that are declared to the server of this connection.
  gateway::ListLimits lists = {};
  mcp::Abilities abilities = mcp::kAllAbilities;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::choices<upstreams::Isolation> = std::array{
    Choice{"shared", upstreams::Isolation::shared},
    Choice{"per-session", upstreams::Isolation::per_session},
    Choice{"per-principal", upstreams::Isolation::per_principal},
};

template <>
inline constexpr auto config::choices<upstreams::Spoken> = std::array{
    Choice{"newest", upstreams::Spoken::newest},
    Choice{"2024-11-05", upstreams::Spoken::v2024_11_05},
    Choice{"2025-03-26", upstreams::Spoken::v2025_03_26},
    Choice{"2025-06-18", upstreams::Spoken::v2025_06_18},
    Choice{"2025-11-25", upstreams::Spoken::v2025_11_25},
    Choice{"2026-07-28", upstreams::Spoken::v2026_07_28},
};

template <>
inline constexpr auto config::choices<upstreams::IdType> = std::array{
    Choice{"number", upstreams::IdType::number},
    Choice{"string", upstreams::IdType::string},
};

template <>
inline constexpr auto config::fields<upstreams::ClientSettings> = std::tuple{
    Field{"name", &upstreams::ClientSettings::name,
          "Client name sent to the server. Empty: patchbay."},
    Field{"version", &upstreams::ClientSettings::version,
          "Client version sent to the server. Empty: that of the gateway."},
    Field{"capabilities", &upstreams::ClientSettings::capabilities,
          "Client capabilities declared to the server. Empty: all that clients of the gateway may "
          "have."},
};

template <>
inline constexpr auto config::fields<upstreams::ProtocolSettings> = std::tuple{
    Field{"revision", &upstreams::ProtocolSettings::revision,
          "MCP revision proposed to the server. newest: the newest that the server supports."},
    Field{"ids", &upstreams::ProtocolSettings::ids,
          "Type of request ids: numbers, or strings of digits."},
    Field{"client", &upstreams::ProtocolSettings::client,
          "Client information sent when a session opens."},
};

template <>
inline constexpr auto config::fields<upstreams::RestartSettings> = std::tuple{
    Field{"initial_interval", &upstreams::RestartSettings::first,
          "Wait before the first restart. It doubles with each further exit.",
          Range{Duration(1), Duration(60'000)}, Alias{"first"}},
    Field{"max_interval", &upstreams::RestartSettings::most, "Maximum wait before a restart.",
          Range{Duration(1), Duration(3'600'000)}, Alias{"most"}},
    Field{"breaker_threshold", &upstreams::RestartSettings::breaker,
          "Number of exits within the window after which calls fail at once and restarts wait "
          "`max_interval`.",
          Range{1, 1'000'000}, Alias{"breaker"}},
    Field{"window", &upstreams::RestartSettings::window,
          "Duration of the window in which exits are counted.",
          Range{Duration(1'000), Duration(86'400'000)}},
};

template <>
inline constexpr auto config::fields<upstreams::HealthSettings> = std::tuple{
    Field{"interval", &upstreams::HealthSettings::interval,
          "Interval between health checks of a server without calls. 0: never.",
          Range{Duration(0), Duration(86'400'000)}},
    Field{"timeout", &upstreams::HealthSettings::timeout,
          "Maximum time to wait for the reply to a health check.",
          Range{Duration(10), Duration(600'000)}},
    Field{"max_failures", &upstreams::HealthSettings::failures,
          "Number of consecutive failed checks after which the server counts as lost.",
          Range{1, 100}, Alias{"failures"}},
};

template <>
inline constexpr auto config::fields<upstreams::TaskSettings> = std::tuple{
    Field{"min_poll_interval", &upstreams::TaskSettings::fastest,
          "Minimum interval between polls of a task, whatever the server asks for.",
          Range{Duration(10), Duration(60'000)}, Alias{"fastest"}},
    Field{"max_poll_interval", &upstreams::TaskSettings::slowest,
          "Maximum interval between polls of a task.", Range{Duration(10), Duration(3'600'000)},
          Alias{"slowest"}},
    Field{"max_tasks", &upstreams::TaskSettings::most,
          "Maximum number of tasks per connection that are followed, wait for input of a client "
          "without a session, or are stored.",
          Range{1, 1'000'000}, Alias{"most"}},
    Field{"stored_results_ttl", &upstreams::TaskSettings::keep,
          "How long an immediate result is stored for a client that asked for a task.",
          Range{Duration(1'000), Duration(86'400'000)}, Alias{"keep"}},
    Field{"max_stored_results_size", &upstreams::TaskSettings::stored,
          "Maximum total size of such results per connection.", Range{Bytes{1024}, Bytes{1 << 30}},
          Alias{"kept"}},
};

namespace upstreams {

// The part of every such upstream's table that is the same.
inline constexpr auto kMcpFields = std::tuple{
    config::Field{"timeout", &McpSettings::timeout,
                  "Maximum duration of a call to this upstream; progress begins it anew. 0: "
                  "limits.call_timeout. At most limits.max_call_timeout.",
                  config::Range{config::Duration(0), config::Duration(86'400'000)}},
    config::Field{
        "start_timeout", &McpSettings::start_time,
        "Maximum time for the handshake and the first tool list. A program that writes to "
        "stderr meanwhile gets this time again with each line; each attempt that takes "
        "too long doubles it for the next, both up to `max_start_timeout`.",
        config::Range{config::Duration(100), config::Duration(600'000)},
        config::Alias{"start_time"}},
    config::Field{"max_start_timeout", &McpSettings::max_start_time,
                  "Maximum time to start for a server that makes progress, or that took too long "
                  "in earlier attempts.",
                  config::Range{config::Duration(100), config::Duration(86'400'000)}},
    config::Field{"probe_timeout", &McpSettings::probe_time,
                  "Maximum time to wait for the reply to the stateless revision's probe, before "
                  "the handshake of the session-based revisions is tried.",
                  config::Range{config::Duration(10), config::Duration(600'000)},
                  config::Alias{"probe_time"}},
    config::Field{"restart", &McpSettings::restart, "Backoff for restarting or reconnecting."},
    config::Field{"health", &McpSettings::health, "Health checks."},
    config::Field{"tasks", &McpSettings::tasks,
                  "Handling of tasks: calls that continue after the first reply."},
    config::Field{"protocol", &McpSettings::protocol,
                  "Protocol settings for servers that need them.", config::Alias{"speech"}},
    config::Field{"isolation", &McpSettings::isolation,
                  "Who shares a connection, and with it the server's state: all callers (shared), "
                  "one session (per-session), or one principal (per-principal). A client without a "
                  "session counts by its principal."},
    config::Field{
        "max_notifications", &McpSettings::max_notifications,
        "Maximum number of notifications per second on one connection. Further ones are dropped, "
        "counted and logged occasionally. List changes are never dropped. 0: no limit.",
        config::Range{0, 1'000'000}},
    config::Field{"isolated_idle_timeout", &McpSettings::idle,
                  "Time without calls after which a connection that is not shared is closed.",
                  config::Range{config::Duration(100), config::Duration(86'400'000)},
                  config::Alias{"idle"}},
    config::Field{"max_isolated_connections", &McpSettings::most,
                  "Maximum number of connections that are not shared.", config::Range{1, 100'000},
                  config::Alias{"most"}},
};

}  // namespace upstreams
}  // namespace patchbay
