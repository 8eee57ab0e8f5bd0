// The whole configuration: the top level of the file, and the sections that belong to no single
// module. Values only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cluster_section.h"
#include "app/default_upstreams.h"
#include "app/http_section.h"
#include "app/proxies_section.h"
#include "app/ready_section.h"
#include "app/reload_section.h"
#include "app/server_section.h"
#include "app/stop_section.h"
#include "app/tls_section.h"
#include "config/settings.h"
#include "frontends/console/settings.h"
#include "frontends/kafka/settings.h"
#include "frontends/rest/settings.h"
#include "frontends/wire/settings.h"
#include "gateway/call/result_budget.h"
#include "gateway/catalog/catalog.h"
#include "oauth/settings.h"
#include "observe/log.h"
#include "policy/audit/settings.h"
#include "policy/auth/settings.h"
#include "policy/pins/pins.h"
#include "policy/rates/settings.h"
#include "policy/rules/approvals.h"
#include "policy/rules/rules.h"
#include "skills/goal_settings.h"
#include "telemetry/settings.h"

namespace patchbay::app {

struct LimitSettings {
  config::Duration call{30'000};
  config::Duration call_total{600'000};
  config::Duration question{600'000};
  config::Duration task{600'000};
  int parked = 1'000;
  int calls = 10'000;
  std::vector<policy::RateSettings> rates;
  int rate_keys = 100'000;
  std::vector<gateway::ResultBudget> results;
  config::Bytes stored_results{64 << 20};
  config::Bytes stored_page{64 << 10};
  config::Duration stored_time{600'000};
  config::Bytes body{16 << 20};
  int connections = 10'000;
  int max_connections_per_address = 0;
  int max_sessions_per_caller = 0;
  int max_streams_per_caller = 0;
  int max_websockets_per_caller = 0;
  int max_live_streams = 64;
  int max_live_streams_per_caller = 8;
  int max_live_calls_per_second = 400;
  int max_tools_off = 10'000;
  int max_queued_admin_jobs = 16;
  int max_parked_per_caller = 0;
  int max_questions_per_call = 64;
  config::Bytes memory{0};
  config::Bytes request_line{8 * 1024};
  config::Bytes headers{64 * 1024};
  int header_fields = 100;
  config::Bytes max_header_line_size{16 * 1024 + 128};
  config::Duration header_time{10'000};
  config::Duration body_time{30'000};
  config::Duration idle_time{75'000};
  config::Duration write_time{30'000};
  int sessions = 20'000;
  config::Duration session_idle{1'800'000};
  config::Duration max_session_age{86'400'000};
  config::Bytes stream_buffer{1 << 20};
  config::Duration stream_after{1'000};
  config::Duration stream_keep_alive{15'000};
  config::Bytes replay{1 << 20};
  config::Bytes replay_total{64 << 20};
  config::Duration replay_time{60'000};
  int metric_names = 500;
  int stored_stderr_lines = 50;
  int batch = 100;
  int page = 1000;
  int pins = 10'000;
  config::Duration start{10'000};
  config::Duration stdio_start{25'000};
  config::Duration listed_after_loss{300'000};
  config::Duration list_debounce{100};
};

struct LogSection {
  log::Level level = log::Level::info;
  log::Format format = log::Format::text;
  bool calls = true;
  bool messages = false;
};

struct StdioSection {
  std::optional<std::vector<std::string>> allowed_commands;
  std::vector<std::string> env_pass;
};

struct WireSection : frontends::WireSettings {
  std::optional<WireTlsSection> tls;
};

struct Settings {
  std::string listen{kDefaultListen};
  std::optional<TlsSection> tls;
  int workers = 0;
  ServerSection server;
  gateway::NameSettings names;
  config::Dict<config::Node> upstreams;
  config::Node servers;
  config::Node mcp_dot_servers;
  config::Dict<config::Node> mcp_servers;
  gateway::GoalSettings goals;
  LimitSettings limits;
  gateway::ValidationSettings validation;
  std::vector<policy::RuleSettings> rules;
  policy::ApprovalSettings approvals;
  policy::PinMode pins = policy::PinMode::warn;
  std::string state;
  ClusterSection cluster;
  StdioSection stdio;
  HttpSection http;
  ProxiesSection proxies;
  ReadySection ready;
  policy::AuthSettings auth;
  oauth::SignInSettings sign_in;
  frontends::RestSettings rest;
  frontends::ConsoleSettings console;
  std::optional<WireSection> wire;
  frontends::KafkaFrontendLimits bus_serve;
  policy::AuditSettings audit;
  telemetry::Settings telemetry;
  LogSection log;
  ReloadSection reload;
  StopSection stop;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::choices<gateway::Prefix> = std::array{
    Choice{"always", gateway::Prefix::always},
    Choice{"conflict", gateway::Prefix::conflict},
    Choice{"never", gateway::Prefix::never},
};

template <>
inline constexpr auto config::choices<gateway::Validation> = std::array{
    Choice{"off", gateway::Validation::off},
    Choice{"warn", gateway::Validation::warn},
    Choice{"enforce", gateway::Validation::enforce},
};

template <>
inline constexpr auto config::choices<gateway::UnusableSchemas> = std::array{
    Choice{"refuse", gateway::UnusableSchemas::refuse},
    Choice{"pass", gateway::UnusableSchemas::pass},
};

template <>
inline constexpr auto config::choices<log::Level> = std::array{
    Choice{"debug", log::Level::debug}, Choice{"info", log::Level::info},
    Choice{"warn", log::Level::warn},   Choice{"error", log::Level::error},
    Choice{"off", log::Level::off},
};

template <>
inline constexpr auto config::choices<log::Format> = std::array{
    Choice{"text", log::Format::text},
    Choice{"json", log::Format::json},
};

template <>
const config::Fields& config::fields<gateway::NameSettings>();

template <>
const config::Fields& config::fields<app::LimitSettings>();

template <>
const config::Fields& config::fields<gateway::ValidationSettings>();

template <>
const config::Fields& config::fields<app::LogSection>();

template <>
const config::Fields& config::fields<app::StdioSection>();

template <>
const config::Fields& config::fields<app::WireSection>();

template <>
const config::Fields& config::fields<app::Settings>();

}  // namespace patchbay
