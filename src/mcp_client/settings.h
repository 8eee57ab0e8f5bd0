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
  config::Duration probe_time{3'000};
  RestartSettings restart;
  HealthSettings health;
  TaskSettings tasks;
  ProtocolSettings protocol;
  Isolation isolation = Isolation::per_principal;
  int max_notifications = 1'000;
  config::Duration idle{300'000};
  int most = 100;
  // Not of the table of one kind: from what every upstream can be told, and what the server of this
  // connection is told that its clients can do.
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
          "Who it is told that its client is; empty: patchbay."},
    Field{"version", &upstreams::ClientSettings::version,
          "Of that client; empty: that of the gateway."},
    Field{"capabilities", &upstreams::ClientSettings::capabilities,
          "The only capabilities that it is told of; empty: all that clients of the gateway may "
          "have."},
};

template <>
inline constexpr auto config::fields<upstreams::ProtocolSettings> = std::tuple{
    Field{"revision", &upstreams::ProtocolSettings::revision,
          "The revision of MCP that is proposed to it; newest: whatever it knows is found out."},
    Field{"ids", &upstreams::ProtocolSettings::ids,
          "Whether the ids of requests are numbers or strings of digits."},
    Field{"client", &upstreams::ProtocolSettings::client,
          "What it is told of its client when a session is opened."},
};

template <>
inline constexpr auto config::fields<upstreams::RestartSettings> = std::tuple{
    Field{"first", &upstreams::RestartSettings::first,
          "The wait before the first restart; it doubles with each further exit.",
          Range{Duration(1), Duration(60'000)}},
    Field{"most", &upstreams::RestartSettings::most, "The longest wait before a restart.",
          Range{Duration(1), Duration(3'600'000)}},
    Field{"breaker", &upstreams::RestartSettings::breaker,
          "After this many exits within the window, calls fail at once and restarts come at the "
          "longest wait.",
          Range{1, 1'000'000}},
    Field{"window", &upstreams::RestartSettings::window, "The span in which exits are counted.",
          Range{Duration(1'000), Duration(86'400'000)}},
};

template <>
inline constexpr auto config::fields<upstreams::HealthSettings> = std::tuple{
    Field{"interval", &upstreams::HealthSettings::interval,
          "How often a server without calls is asked whether it is there; 0: never.",
          Range{Duration(0), Duration(86'400'000)}},
    Field{"timeout", &upstreams::HealthSettings::timeout, "How long it may take to say so.",
          Range{Duration(10), Duration(600'000)}},
    Field{"failures", &upstreams::HealthSettings::failures,
          "After this many times without an answer it counts as lost.", Range{1, 100}},
};

template <>
inline constexpr auto config::fields<upstreams::TaskSettings> = std::tuple{
    Field{"fastest", &upstreams::TaskSettings::fastest,
          "The shortest pause between two looks at a task whose end is waited for, whatever the "
          "server asks for.",
          Range{Duration(10), Duration(60'000)}},
    Field{"slowest", &upstreams::TaskSettings::slowest, "The longest such pause.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"most", &upstreams::TaskSettings::most,
          "How many tasks of one connection may be followed, wait for input of a client without a "
          "session, or be kept.",
          Range{1, 1'000'000}},
    Field{"keep", &upstreams::TaskSettings::keep,
          "How long an answer that came at once is kept for a client that wanted a task.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"kept", &upstreams::TaskSettings::stored,
          "How much one connection keeps of such answers.", Range{Bytes{1024}, Bytes{1 << 30}}},
};

namespace upstreams {

// The part of every such upstream's table that is the same.
inline constexpr auto kMcpFields = std::tuple{
    config::Field{"timeout", &McpSettings::timeout,
                  "The longest a call to it may take; 0: limits.call.",
                  config::Range{config::Duration(0), config::Duration(86'400'000)}},
    config::Field{"start_time", &McpSettings::start_time,
                  "How long it may take to answer the handshake and list its tools.",
                  config::Range{config::Duration(100), config::Duration(600'000)}},
    config::Field{"probe_time", &McpSettings::probe_time,
                  "How long it may take to say that it speaks the revision without sessions, "
                  "before the handshake of the others is tried.",
                  config::Range{config::Duration(10), config::Duration(600'000)}},
    config::Field{"restart", &McpSettings::restart, "How it comes back after it was lost."},
    config::Field{"health", &McpSettings::health, "How it is seen that it is still there."},
    config::Field{"tasks", &McpSettings::tasks,
                  "How its tasks are looked after: calls that it goes on with after it has "
                  "answered."},
    config::Field{"speech", &McpSettings::protocol, "How it is spoken to, if it minds."},
    config::Field{"isolation", &McpSettings::isolation,
                  "Who shares one connection to it, and with it what the server remembers: "
                  "everyone, nobody beyond one session, or nobody beyond one principal. A client "
                  "without sessions counts by its principal."},
    config::Field{"max_notifications", &McpSettings::max_notifications,
                  "Notifications that one connection to it may send per second; the rest is "
                  "dropped, counted and logged once in a while. That a list has changed is never "
                  "dropped. 0: no bound.",
                  config::Range{0, 1'000'000}},
    config::Field{"idle", &McpSettings::idle,
                  "After how long without a call a connection that is not shared ends.",
                  config::Range{config::Duration(100), config::Duration(86'400'000)}},
    config::Field{"most", &McpSettings::most,
                  "How many connections that are not shared may be open.",
                  config::Range{1, 100'000}},
};

}  // namespace upstreams
}  // namespace patchbay
