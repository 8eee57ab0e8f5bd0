// The whole configuration: the top level of the file, and the sections that belong to no single
// module. Values only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/default_upstreams.h"
#include "app/http_section.h"
#include "app/proxies_section.h"
#include "app/ready_section.h"
#include "app/server_section.h"
#include "app/tls_section.h"
#include "config/fields.h"
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
  config::Bytes stream_buffer{1 << 20};
  config::Duration stream_after{1'000};
  config::Duration stream_keep_alive{15'000};
  config::Bytes replay{1 << 20};
  config::Bytes replay_total{64 << 20};
  config::Duration replay_time{60'000};
  int metric_names = 500;
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

struct ReloadSection {
  config::Duration stable_interval{100};
  bool allow_weaker = false;
};

struct StopSection {
  config::Duration grace{10'000};
  config::Duration upgrade_timeout{60'000};
  config::Duration handover_timeout{300'000};
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
  StdioSection stdio;
  HttpSection http;
  ProxiesSection proxies;
  ReadySection ready;
  policy::AuthSettings auth;
  oauth::SignInSettings sign_in;
  frontends::RestSettings rest;
  std::optional<WireSection> wire;
  frontends::KafkaFrontendLimits bus_serve;
  policy::AuditSettings audit;
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
inline constexpr auto config::fields<gateway::NameSettings> = std::tuple{
    Field{"prefix", &gateway::NameSettings::prefix,
          "When tool names carry the name of their upstream as a prefix: always, only if two "
          "upstreams offer the same name, or never."},
    Field{"separator", &gateway::NameSettings::separator,
          "Text between the upstream's name and the tool's name."},
    Field{
        "max_length", &gateway::NameSettings::max_length,
        "Maximum length of the listed name of a tool or prompt, with its prefix. Longer names are "
        "shortened; the full name works in calls too. Many clients accept 64, Cursor 60.",
        Range{24, 1024}},
};

template <>
inline constexpr auto config::fields<app::LimitSettings> = std::tuple{
    Field{"call_timeout", &app::LimitSettings::call,
          "Maximum duration of a call, if its upstream or its tool has no timeout of its own. Each "
          "time the upstream reports progress, the time begins anew.",
          Range{Duration(10), Duration(86'400'000)}, Alias{"call"}},
    Field{"max_call_timeout", &app::LimitSettings::call_total,
          "Maximum duration of a call with progress, and of one whose upstream or tool has a "
          "longer timeout. At least `call_timeout`.",
          Range{Duration(10), Duration(86'400'000)}},
    Field{"input_timeout", &app::LimitSettings::question,
          "Maximum time a client may take to answer an input request of an upstream. The call's "
          "own timeout is paused meanwhile.",
          Range{Duration(10), Duration(86'400'000)}, Alias{"question"}},
    Field{"task_timeout", &app::LimitSettings::task,
          "Maximum time a request waits for the result of a task.",
          Range{Duration(10), Duration(86'400'000)}, Alias{"task"}},
    Field{"max_parked_calls", &app::LimitSettings::parked,
          "Maximum number of calls per worker that wait for input from a client without a session.",
          Range{0, 1'000'000}, Alias{"parked"}},
    Field{"max_calls", &app::LimitSettings::calls, "Maximum number of calls in progress.",
          Range{1, 1'000'000}, Alias{"calls"}},
    Field{"rates", &app::LimitSettings::rates,
          "Rate limits and concurrency limits of calls. Each row counts on its own."},
    Field{"max_rate_keys", &app::LimitSettings::rate_keys,
          "Maximum number of callers, addresses and tools that the rows of `rates` track. Further "
          "ones share a single counter.",
          Range{16, 10'000'000}, Alias{"rate_keys"}},
    Field{"results", &app::LimitSettings::results,
          "Size limits of tool results. The first row that matches a tool applies."},
    Field{"max_stored_results_size", &app::LimitSettings::stored_results,
          "Maximum total size of stored results that exceeded their limit. The oldest are evicted.",
          Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 36}}, Alias{"kept_results"}},
    Field{"stored_results_page_size", &app::LimitSettings::stored_page,
          "Size of one page when a stored result is read.", Range{Bytes{1024}, Bytes{16 << 20}},
          Alias{"kept_page"}},
    Field{"stored_results_ttl", &app::LimitSettings::stored_time,
          "How long a stored result stays available.", Range{Duration(1'000), Duration(86'400'000)},
          Alias{"kept_time"}},
    Field{"max_body_size", &app::LimitSettings::body, "Maximum size of a request body.",
          Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"body"}},
    Field{"max_connections", &app::LimitSettings::connections,
          "Maximum number of open connections.", Range{1, 1'000'000}, Alias{"connections"}},
    Field{"max_connections_per_address", &app::LimitSettings::max_connections_per_address,
          "Maximum number of open connections per client address; IPv6 addresses count by their "
          "/64. 0: a quarter of `max_connections`, and no limit for addresses of this machine.",
          Range{0, 1'000'000}},
    Field{"max_sessions_per_caller", &app::LimitSettings::max_sessions_per_caller,
          "Maximum number of open sessions per caller, or per address without authentication. 0: a "
          "quarter of `max_sessions`, and no limit for unauthenticated callers on this machine.",
          Range{0, 10'000'000}},
    Field{"max_streams_per_caller", &app::LimitSettings::max_streams_per_caller,
          "Maximum number of event streams for notifications per caller. 0: a quarter of "
          "`max_connections`.",
          Range{0, 1'000'000}},
    Field{"max_websockets_per_caller", &app::LimitSettings::max_websockets_per_caller,
          "Maximum number of WebSocket and wire protocol connections per caller. 0: a quarter of "
          "`max_connections`.",
          Range{0, 1'000'000}},
    Field{"max_parked_per_caller", &app::LimitSettings::max_parked_per_caller,
          "Maximum number of calls per caller that wait for input from their client. 0: a quarter "
          "of `max_parked_calls`.",
          Range{0, 1'000'000}},
    Field{
        "max_input_requests_per_call", &app::LimitSettings::max_questions_per_call,
        "Maximum number of input requests to a client without a session in the course of one call.",
        Range{1, 10'000}},
    Field{"max_memory", &app::LimitSettings::memory,
          "Maximum memory the gateway may allocate. Beyond it, new calls and bodies are answered "
          "with 503. 0: half of the memory of the machine or its cgroup, at most 1 GiB.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 44}}, Alias{"memory"}},
    Field{"max_request_line_size", &app::LimitSettings::request_line,
          "Maximum size of the request line.", Range{Bytes{256}, Bytes{1 << 20}},
          Alias{"request_line"}},
    Field{"max_headers_size", &app::LimitSettings::headers,
          "Maximum size of the request line and all header fields.",
          Range{Bytes{1024}, Bytes{1 << 20}}, Alias{"headers"}},
    Field{"max_header_fields", &app::LimitSettings::header_fields,
          "Maximum number of header fields in a request.", Range{8, 10'000},
          Alias{"header_fields"}},
    Field{"max_header_line_size", &app::LimitSettings::max_header_line_size,
          "Maximum size of one header field in a request.", Range{Bytes{256}, Bytes{1 << 20}}},
    Field{"header_timeout", &app::LimitSettings::header_time,
          "Maximum time to receive the header of a request.",
          Range{Duration(10), Duration(600'000)}, Alias{"header_time"}},
    Field{"body_timeout", &app::LimitSettings::body_time,
          "Maximum time to receive the body of a request.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"body_time"}},
    Field{"idle_timeout", &app::LimitSettings::idle_time,
          "Maximum time a connection waits for its next request.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"idle_time"}},
    Field{"write_timeout", &app::LimitSettings::write_time,
          "Maximum time a client may take to accept the next part of a response.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"write_time"}},
    Field{"max_sessions", &app::LimitSettings::sessions, "Maximum number of open sessions.",
          Range{1, 10'000'000}, Alias{"sessions"}},
    Field{"session_idle_timeout", &app::LimitSettings::session_idle,
          "Time without a request or an open stream after which a session ends.",
          Range{Duration(1'000), Duration(604'800'000)}, Alias{"session_idle"}},
    Field{"max_stream_buffer_size", &app::LimitSettings::stream_buffer,
          "Maximum size of the notifications queued for a slow reader of an event stream. Beyond "
          "it, notifications are dropped, or the stream is closed if it can be resumed. Answers "
          "wait for the reader.",
          Range{Bytes{4096}, Bytes{1 << 30}}, Alias{"stream_buffer"}},
    Field{"stream_delay", &app::LimitSettings::stream_after,
          "Time after which a call is answered with an event stream, which the client can resume.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"stream_after"}},
    Field{"stream_keep_alive_interval", &app::LimitSettings::stream_keep_alive,
          "Interval between keep-alive comments on an idle event stream.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"stream_keep_alive"}},
    Field{"max_replay_size", &app::LimitSettings::replay,
          "Maximum size of the events stored per stream for clients that reconnect.",
          Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"replay"}},
    Field{"max_total_replay_size", &app::LimitSettings::replay_total,
          "Maximum total size of the events stored per worker for ended streams.",
          Range{Bytes{1024}, Bytes{std::uint64_t{1} << 36}}, Alias{"replay_total"}},
    Field{"replay_ttl", &app::LimitSettings::replay_time,
          "How long the events of an ended stream are stored.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"replay_time"}},
    Field{"max_metric_names", &app::LimitSettings::metric_names,
          "Maximum number of tools, and of clients, that metrics count by name. Further ones are "
          "counted together, as `other`.",
          Range{0, 100'000}},
    Field{"max_batch_messages", &app::LimitSettings::batch,
          "Maximum number of messages in a batch.", Range{1, 10'000}, Alias{"batch"}},
    Field{"page_size", &app::LimitSettings::page, "Number of items in one page of a list.",
          Range{1, 1'000'000}, Alias{"page"}},
    Field{"max_pins_per_upstream", &app::LimitSettings::pins,
          "Maximum number of tools per upstream whose definitions are pinned (see `pins`).",
          Range{1, 1'000'000}, Alias{"pins"}},
    Field{"start_timeout", &app::LimitSettings::start,
          "Maximum time the first tool list waits for upstreams that are still starting.",
          Range{Duration(0), Duration(600'000)}, Alias{"start"}},
    Field{"stdio_start_timeout", &app::LimitSettings::stdio_start,
          "The same for the client of `patchbay stdio`. Many such clients ask for the list once.",
          Range{Duration(0), Duration(600'000)}},
    Field{"stale_list_ttl", &app::LimitSettings::listed_after_loss,
          "How long the tools of an upstream stay listed while it is down.",
          Range{Duration(0), Duration(604'800'000)}, Alias{"listed_after_loss"}},
    Field{"list_debounce_interval", &app::LimitSettings::list_debounce,
          "Changes of a list within this interval are sent to clients as one notification.",
          Range{Duration(0), Duration(60'000)}, Alias{"list_debounce"}},
};

template <>
inline constexpr auto config::fields<gateway::ValidationSettings> = std::tuple{
    Field{"arguments", &gateway::ValidationSettings::arguments,
          "Whether the arguments of a call must match the tool's input schema."},
    Field{"results", &gateway::ValidationSettings::results,
          "Whether a result must match the tool's output schema."},
    Field{
        "max_tasks", &gateway::ValidationSettings::tasks,
        "Maximum number of tasks whose tool is remembered, so that their results can be validated.",
        Range{0, 1'000'000}, Alias{"tasks"}},
    Field{"unusable_schemas", &gateway::ValidationSettings::unusable_schemas,
          "What `enforce` does with calls of a tool whose schema cannot be used: refuse them, or "
          "pass them unchecked."},
};

template <>
inline constexpr auto config::fields<app::LogSection> = std::tuple{
    Field{"level", &app::LogSection::level, "Lowest level that is logged."},
    Field{"format", &app::LogSection::format, "Format of log lines."},
    Field{"calls", &app::LogSection::calls, "Whether each call is logged."},
    Field{"messages", &app::LogSection::messages,
          "Whether each message to and from a program is logged at level debug. Messages may "
          "contain secrets."},
};

template <>
inline constexpr auto config::fields<app::StdioSection> = std::tuple{
    Field{"allowed_commands", &app::StdioSection::allowed_commands,
          "Programs that stdio upstreams may run: paths, or names found in PATH. Absent: any "
          "program."},
    Field{"env_pass", &app::StdioSection::env_pass,
          "Names of variables to pass from the gateway's environment to every stdio upstream."},
};

template <>
inline constexpr auto config::fields<app::ReloadSection> = std::tuple{
    Field{"stable_interval", &app::ReloadSection::stable_interval,
          "How long the configuration files must stay unchanged before they are loaded.",
          Range{Duration(10), Duration(60'000)}},
    Field{"allow_weaker", &app::ReloadSection::allow_weaker,
          "Whether a reload may weaken the protection of the running gateway, for example remove "
          "`auth` or `rules`. The running configuration decides, not the new one."},
};

template <>
inline constexpr auto config::fields<app::StopSection> = std::tuple{
    Field{"drain_timeout", &app::StopSection::grace,
          "Maximum time for calls in progress to finish when the gateway stops.",
          Range{Duration(0), Duration(3'600'000)}, Alias{"grace"}},
    Field{"upgrade_timeout", &app::StopSection::upgrade_timeout,
          "Maximum time until a new process that replaces this one (SIGUSR2) is ready. After that "
          "it is ended, and this one goes on.",
          Range{Duration(1), Duration(3'600'000)}},
    Field{"handover_timeout", &app::StopSection::handover_timeout,
          "Maximum time for a replaced process to finish its calls. After that it stops as it does "
          "otherwise.",
          Range{Duration(0), Duration(86'400'000)}},
};

template <>
inline constexpr auto config::fields<app::WireSection> = std::tuple_cat(
    config::fields<frontends::WireSettings>,
    std::tuple{
        Field{"tls", &app::WireSection::tls,
              "TLS for the TCP listener (tcps://). Absent: plain TCP, for this machine only."},
    });

template <>
inline constexpr auto config::fields<app::Settings> = std::tuple{
    Field{"listen", &app::Settings::listen,
          "Address of the HTTP listener. Port 0: the system chooses."},
    Field{"tls", &app::Settings::tls, "A second listener, for HTTPS. Absent: none."},
    Field{"workers", &app::Settings::workers, "Number of worker threads. 0: one per core.",
          Range{0, 256}},
    Field{"server", &app::Settings::server, "What the gateway states about itself to clients."},
    Field{"names", &app::Settings::names, "Names under which tools are listed."},
    Field{"upstreams", &app::Settings::upstreams,
          "Upstreams by name: a section, or an endpoint such as stdio://python3 server.py. Absent: "
          "the built-in skills and the osquery server."},
    Field{"servers", &app::Settings::servers,
          "Upstreams as a list of name:endpoint: one string with commas or line breaks, a YAML "
          "list, or a map."},
    Field{"mcp.servers", &app::Settings::mcp_dot_servers, "Same as `servers`."},
    Field{"mcpServers", &app::Settings::mcp_servers,
          "Upstreams in the format of desktop clients: command, args, env; or url, type, headers."},
    Field{"goals", &app::Settings::goals, "Settings for goals in natural language."},
    Field{"limits", &app::Settings::limits, "Limits of time, size and number."},
    Field{
        "validation", &app::Settings::validation,
        "Validation of arguments and results against the schemas of tools: off, warn or enforce."},
    Field{"rules", &app::Settings::rules,
          "Access rules by role. Absent: every caller may use everything. Present: only what a "
          "rule allows."},
    Field{"approvals", &app::Settings::approvals,
          "Settings for calls that a person must approve (`approve` in a rule)."},
    Field{"pins", &app::Settings::pins,
          "What happens to a tool whose definition has changed since it was first seen: warn logs "
          "it, block hides it until it is accepted, ignore does nothing."},
    Field{"state", &app::Settings::state,
          "Folder for persistent state. Empty: STATE_DIRECTORY of the environment; without it, "
          "nothing outlives the process."},
    Field{"stdio", &app::Settings::stdio, "Settings common to all stdio upstreams."},
    Field{"http", &app::Settings::http, "Access to the HTTP listener."},
    Field{"proxies", &app::Settings::proxies,
          "Reverse proxies and load balancers that state the addresses of clients."},
    Field{"ready", &app::Settings::ready, "What `/ready` requires."},
    Field{"auth", &app::Settings::auth,
          "Authentication of callers. Absent: none, and the listener must be on loopback."},
    Field{"sign_in", &app::Settings::sign_in,
          "Sign-in of people for upstreams that require it (`auth` of an upstream)."},
    Field{"rest", &app::Settings::rest, "Tools and resources over plain HTTP."},
    Field{"wire", &app::Settings::wire,
          "Wire protocol over TCP and WebSocket. Absent: no TCP listener, and WebSocket with the "
          "defaults."},
    Field{"bus_serve", &app::Settings::bus_serve,
          "Settings of `patchbay bus serve`, which answers requests from a Kafka bus."},
    Field{"audit", &app::Settings::audit,
          "Audit log of calls. It is on if a file or a database is given."},
    Field{"log", &app::Settings::log, "Settings of the log on stderr."},
    Field{"reload", &app::Settings::reload, "Reloading of a changed configuration."},
    Field{"stop", &app::Settings::stop, "Shutdown of the gateway."},
};

}  // namespace patchbay
