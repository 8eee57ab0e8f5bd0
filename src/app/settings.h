// The whole configuration: the top level of the file, and the sections that belong to no single
// module. Values only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/default_upstreams.h"
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
  int batch = 100;
  int page = 1000;
  int pins = 10'000;
  config::Duration start{10'000};
  config::Duration listed_after_loss{300'000};
  config::Duration list_debounce{100};
};

struct CorsSection {
  std::vector<std::string> origins;
  std::vector<std::string> headers;
  config::Duration max_age{600'000};
  bool credentials = false;
};

struct HttpSection {
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  CorsSection cors;
};

struct LogSection {
  log::Level level = log::Level::info;
  log::Format format = log::Format::text;
  bool calls = true;
  bool messages = false;
};

struct StdioSection {
  std::optional<std::vector<std::string>> allowed_commands;
};

struct ReloadSection {
  config::Duration stable_interval{100};
  bool allow_weaker = false;
};

struct StopSection {
  config::Duration grace{10'000};
};

struct WireSection : frontends::WireSettings {
  std::optional<WireTlsSection> tls;
};

struct Settings {
  std::string listen{kDefaultListen};
  std::optional<TlsSection> tls;
  int workers = 0;
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
          "Whether tools are listed with the name of their upstream in front: always, only where "
          "two upstreams have the same name, or never."},
    Field{"separator", &gateway::NameSettings::separator, "What stands between upstream and tool."},
};

template <>
inline constexpr auto config::fields<app::LimitSettings> = std::tuple{
    Field{"call", &app::LimitSettings::call, "The longest a call may take.",
          Range{Duration(10), Duration(86'400'000)}},
    Field{"question", &app::LimitSettings::question,
          "How long a client may take to answer what an upstream asks in the course of a call; the "
          "time of the call stands still meanwhile.",
          Range{Duration(10), Duration(86'400'000)}},
    Field{"task", &app::LimitSettings::task,
          "How long a request may wait for what a task comes to.",
          Range{Duration(10), Duration(86'400'000)}},
    Field{"parked", &app::LimitSettings::parked,
          "How many calls of each worker may wait for a client without a session to come back with "
          "answers.",
          Range{0, 1'000'000}},
    Field{"calls", &app::LimitSettings::calls, "How many calls may run at once.",
          Range{1, 1'000'000}},
    Field{"rates", &app::LimitSettings::rates,
          "How often calls may be made, and how many may run at once. Each row counts by itself."},
    Field{
        "rate_keys", &app::LimitSettings::rate_keys,
        "How many callers, addresses and tools the rows of `rates` tell apart; those beyond share "
        "what one has.",
        Range{16, 10'000'000}},
    Field{"results", &app::LimitSettings::results,
          "How large the results of tools may be; the first row that names a tool counts."},
    Field{"kept_results", &app::LimitSettings::stored_results,
          "How much of results that were too large is kept; the oldest make room.",
          Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 36}}},
    Field{"kept_page", &app::LimitSettings::stored_page, "How much of them is read at once.",
          Range{Bytes{1024}, Bytes{16 << 20}}},
    Field{"kept_time", &app::LimitSettings::stored_time, "How long they are kept.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"body", &app::LimitSettings::body, "The largest request body.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"connections", &app::LimitSettings::connections, "How many connections may be open.",
          Range{1, 1'000'000}},
    Field{"max_connections_per_address", &app::LimitSettings::max_connections_per_address,
          "How many connections one address may have open; IPv6 addresses count by their /64. 0: a "
          "quarter of `connections`, and no bound for this machine's own addresses.",
          Range{0, 1'000'000}},
    Field{"max_sessions_per_caller", &app::LimitSettings::max_sessions_per_caller,
          "How many sessions one caller may have open, or one address where callers are not asked "
          "who they are. 0: a quarter of `sessions`, and no bound for unasked callers of this "
          "machine.",
          Range{0, 10'000'000}},
    Field{"max_streams_per_caller", &app::LimitSettings::max_streams_per_caller,
          "The same for event streams that wait for notifications. 0: a quarter of `connections`.",
          Range{0, 1'000'000}},
    Field{"max_websockets_per_caller", &app::LimitSettings::max_websockets_per_caller,
          "The same for WebSockets and connections of the wire protocol. 0: a quarter of "
          "`connections`.",
          Range{0, 1'000'000}},
    Field{"max_parked_per_caller", &app::LimitSettings::max_parked_per_caller,
          "The same for calls that wait for their client to come back with answers. 0: a quarter "
          "of `parked`.",
          Range{0, 1'000'000}},
    Field{"memory", &app::LimitSettings::memory,
          "How much memory the gateway may have allocated. Beyond that it answers 503 to new calls "
          "and bodies until there is less. 0: half of what the machine or its cgroup has, at most "
          "1 GiB.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 44}}},
    Field{"request_line", &app::LimitSettings::request_line, "The longest request line.",
          Range{Bytes{256}, Bytes{1 << 20}}},
    Field{"headers", &app::LimitSettings::headers, "The largest request head.",
          Range{Bytes{1024}, Bytes{1 << 20}}},
    Field{"header_fields", &app::LimitSettings::header_fields, "The most header fields.",
          Range{8, 10'000}},
    Field{"max_header_line_size", &app::LimitSettings::max_header_line_size,
          "The longest header field of a request.", Range{Bytes{256}, Bytes{1 << 20}}},
    Field{"header_time", &app::LimitSettings::header_time,
          "How long a request head may take to arrive.", Range{Duration(10), Duration(600'000)}},
    Field{"body_time", &app::LimitSettings::body_time,
          "How long a request body may take to arrive.", Range{Duration(10), Duration(3'600'000)}},
    Field{"idle_time", &app::LimitSettings::idle_time,
          "How long a connection may wait for its next request.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"write_time", &app::LimitSettings::write_time,
          "How long a client may take to accept the next piece of an answer.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"sessions", &app::LimitSettings::sessions, "How many sessions may be open.",
          Range{1, 10'000'000}},
    Field{"session_idle", &app::LimitSettings::session_idle,
          "After how long without a request or an open stream a session ends.",
          Range{Duration(1'000), Duration(604'800'000)}},
    Field{"stream_buffer", &app::LimitSettings::stream_buffer,
          "What may wait for a slow reader of an event stream before it is cut off.",
          Range{Bytes{4096}, Bytes{1 << 30}}},
    Field{"stream_after", &app::LimitSettings::stream_after,
          "After how long a call is answered as an event stream, so that it can be resumed.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"stream_keep_alive", &app::LimitSettings::stream_keep_alive,
          "How often a silent event stream shows that it is alive.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"replay", &app::LimitSettings::replay,
          "How much of one event stream is kept for clients that reconnect.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"replay_total", &app::LimitSettings::replay_total,
          "How much is kept of all ended event streams of a worker.",
          Range{Bytes{1024}, Bytes{std::uint64_t{1} << 36}}},
    Field{"replay_time", &app::LimitSettings::replay_time,
          "How long an ended event stream is kept.", Range{Duration(100), Duration(3'600'000)}},
    Field{"batch", &app::LimitSettings::batch, "The most messages in a batch.", Range{1, 10'000}},
    Field{"page", &app::LimitSettings::page, "How many items one page of a list has.",
          Range{1, 1'000'000}},
    Field{"pins", &app::LimitSettings::pins,
          "How many tools of one upstream are remembered (see `pins`).", Range{1, 1'000'000}},
    Field{"start", &app::LimitSettings::start,
          "How long the first list of tools waits for upstreams that are still starting.",
          Range{Duration(0), Duration(600'000)}},
    Field{"listed_after_loss", &app::LimitSettings::listed_after_loss,
          "How long what an upstream offers stays listed while it is down.",
          Range{Duration(0), Duration(604'800'000)}},
    Field{"list_debounce", &app::LimitSettings::list_debounce,
          "Changes of a list within this time are told to clients as one.",
          Range{Duration(0), Duration(60'000)}},
};

template <>
inline constexpr auto config::fields<gateway::ValidationSettings> = std::tuple{
    Field{"arguments", &gateway::ValidationSettings::arguments,
          "Whether the arguments of a call must fit the schema of the tool."},
    Field{"results", &gateway::ValidationSettings::results,
          "Whether the result must fit the schema that the tool promises."},
    Field{"tasks", &gateway::ValidationSettings::tasks,
          "Of how many tasks it is remembered which tool made them, so that their results can be "
          "checked.",
          Range{0, 1'000'000}},
    Field{
        "unusable_schemas", &gateway::ValidationSettings::unusable_schemas,
        "What happens to calls that `enforce` would check with a schema that cannot be used: they "
        "are refused, or pass unchecked."},
};

template <>
inline constexpr auto config::fields<app::CorsSection> = std::tuple{
    Field{
        "origins", &app::CorsSection::origins,
        "Origins of web pages that may read our answers: https://app.example. `*` is all of them, "
        "and is taken only with `auth` and without credentials."},
    Field{"headers", &app::CorsSection::headers,
          "Headers that pages may send beside those of the front ends."},
    Field{"max_age", &app::CorsSection::max_age, "How long a browser may remember what it may do.",
          Range{Duration(0), Duration(86'400'000)}},
    Field{"credentials", &app::CorsSection::credentials,
          "Whether a browser may send what it keeps for us, such as a password or a certificate."},
};

template <>
inline constexpr auto config::fields<app::HttpSection> = std::tuple{
    Field{"hosts", &app::HttpSection::hosts,
          "Names allowed in the Host header beside localhost, 127.0.0.1 and [::1]."},
    Field{"origins", &app::HttpSection::origins,
          "Origins of web pages that may call, beside the Host of the request itself and `hosts`."},
    Field{"cors", &app::HttpSection::cors, "Which web pages of other origins may read answers."},
};

template <>
inline constexpr auto config::fields<app::LogSection> = std::tuple{
    Field{"level", &app::LogSection::level, "The least important lines that are logged."},
    Field{"format", &app::LogSection::format, "How a line looks."},
    Field{"calls", &app::LogSection::calls, "Whether each call is logged."},
    Field{"messages", &app::LogSection::messages,
          "Whether each message to and from a program is logged, at debug; it may hold secrets."},
};

template <>
inline constexpr auto config::fields<app::StdioSection> = std::tuple{
    Field{"allowed_commands", &app::StdioSection::allowed_commands,
          "If given: the only programs that upstreams may be. A path, or a name found in PATH."},
};

template <>
inline constexpr auto config::fields<app::ReloadSection> = std::tuple{
    Field{"stable_interval", &app::ReloadSection::stable_interval,
          "How long the files of the configuration must stay the same before they are used.",
          Range{Duration(10), Duration(60'000)}},
    Field{"allow_weaker", &app::ReloadSection::allow_weaker,
          "Whether a reload may weaken the protection of the running gateway, for example remove "
          "`auth` or `rules`. The running configuration decides, not the new one."},
};

template <>
inline constexpr auto config::fields<app::StopSection> = std::tuple{
    Field{"grace", &app::StopSection::grace,
          "How long calls in progress get to finish when the gateway stops.",
          Range{Duration(0), Duration(3'600'000)}},
};

template <>
inline constexpr auto config::fields<app::WireSection> = std::tuple_cat(
    config::fields<frontends::WireSettings>,
    std::tuple{
        Field{"tls", &app::WireSection::tls,
              "Puts TLS over the TCP listener (tcps://). Absent: it is plain, for this machine."},
    });

template <>
inline constexpr auto config::fields<app::Settings> = std::tuple{
    Field{"listen", &app::Settings::listen,
          "The address of the HTTP listener; port 0 lets the system choose."},
    Field{"tls", &app::Settings::tls, "A second listener, for HTTPS. Absent: there is none."},
    Field{"workers", &app::Settings::workers, "How many threads serve; 0: one per core.",
          Range{0, 256}},
    Field{"names", &app::Settings::names, "How tools are named."},
    Field{"upstreams", &app::Settings::upstreams,
          "What the gateway offers, by name: a section, or an endpoint such as "
          "stdio://python3 server.py. Absent: the built-in skills, and our osquery server."},
    Field{"servers", &app::Settings::servers,
          "The same as a list of name:endpoint, in one text with commas or lines between them, or "
          "as a YAML list or map."},
    Field{"mcp.servers", &app::Settings::mcp_dot_servers, "Another name of `servers`."},
    Field{"mcpServers", &app::Settings::mcp_servers,
          "The same as desktop clients write it: command, args, env; or url, type, headers."},
    Field{"goals", &app::Settings::goals, "How goals in words are answered."},
    Field{"limits", &app::Settings::limits, "Bounds of time, size and number."},
    Field{"validation", &app::Settings::validation,
          "What becomes of arguments and results that do not fit: let go on, log, or refuse."},
    Field{"rules", &app::Settings::rules,
          "Who may use what, by role. Absent: everybody may use everything. Present: what no rule "
          "allows is not there."},
    Field{"approvals", &app::Settings::approvals,
          "How calls wait that a person must approve (`approve` in a rule)."},
    Field{"pins", &app::Settings::pins,
          "What becomes of a tool whose definition has changed since it was first seen: logged and "
          "kept, left out until it is accepted, or nothing."},
    Field{"state", &app::Settings::state,
          "The folder where the gateway keeps what it must remember. Empty: STATE_DIRECTORY of the "
          "environment; without that, nothing outlives the process."},
    Field{"stdio", &app::Settings::stdio, "What all programs that are upstreams have in common."},
    Field{"http", &app::Settings::http, "Who may reach the HTTP listener."},
    Field{"auth", &app::Settings::auth,
          "Who may call. Absent: whoever can reach the listener, which then must be on loopback."},
    Field{"sign_in", &app::Settings::sign_in,
          "How people sign in for upstreams that want it (`auth` of an upstream)."},
    Field{"rest", &app::Settings::rest, "Tools and resources over plain HTTP."},
    Field{"wire", &app::Settings::wire,
          "The wire protocol, on binary TCP and on WebSocket. Absent: no TCP listener, and "
          "WebSocket with the defaults."},
    Field{"bus_serve", &app::Settings::bus_serve,
          "How `patchbay bus serve` deals with requests from a Kafka bus."},
    Field{"audit", &app::Settings::audit,
          "The record of calls; kept where a file or a database is named."},
    Field{"log", &app::Settings::log, "What is logged to stderr."},
    Field{"reload", &app::Settings::reload,
          "How the gateway takes up a configuration that has changed."},
    Field{"stop", &app::Settings::stop, "How the gateway stops."},
};

}  // namespace patchbay
