// The settings of every upstream that is an MCP server, however it is reached.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"
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
  newest,  // A revision that the server supports.
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
  bool requests_progress = true;
  config::Duration min_list_interval{250};
  config::Duration idle{300'000};
  int most = 100;
  int most_of_caller = 0;
  // Not in the table of any kind: limits from the settings that every upstream has, and the client
  // capabilities that are declared to the server of this connection.
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
const config::Fields& config::fields<upstreams::ClientSettings>();

template <>
const config::Fields& config::fields<upstreams::ProtocolSettings>();

template <>
const config::Fields& config::fields<upstreams::RestartSettings>();

template <>
const config::Fields& config::fields<upstreams::HealthSettings>();

template <>
const config::Fields& config::fields<upstreams::TaskSettings>();

template <>
const config::Fields& config::fields<upstreams::McpSettings>();
}  // namespace patchbay
