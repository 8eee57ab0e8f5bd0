#include "app/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::NameSettings>() {
  static const Fields kFields = fields_of<gateway::NameSettings>({
      {"prefix", &gateway::NameSettings::prefix,
       "When tool names carry the name of their upstream as a prefix: always, only if two "
       "upstreams offer the same name, or never."},
      {"separator", &gateway::NameSettings::separator,
       "Text between the upstream's name and the tool's name."},
      {"max_length", &gateway::NameSettings::max_length,
       "Maximum length of the listed name of a tool or prompt, with its prefix. Longer names are "
       "shortened; the full name works in calls too. Many clients accept 64, Cursor 60.",
       Range{24, 1024}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::LimitSettings>() {
  static const Fields kFields = fields_of<app::LimitSettings>({
      {"call_timeout", &app::LimitSettings::call,
       "Maximum duration of a call, if its upstream or its tool has no timeout of its own. Each "
       "time the upstream reports progress, the timeout restarts.",
       Range{Duration(10), Duration(86'400'000)}, Alias{"call"}},
      {"max_call_timeout", &app::LimitSettings::call_total,
       "Maximum duration of a call with progress, and of one whose upstream or tool has a "
       "longer timeout. At least `call_timeout`.",
       Range{Duration(10), Duration(86'400'000)}},
      {"input_timeout", &app::LimitSettings::question,
       "Maximum time a client may take to answer an input request of an upstream. The call's "
       "own timeout is paused meanwhile.",
       Range{Duration(10), Duration(86'400'000)}, Alias{"question"}},
      {"task_timeout", &app::LimitSettings::task,
       "Maximum time a request waits for the result of a task.",
       Range{Duration(10), Duration(86'400'000)}, Alias{"task"}},
      {"max_parked_calls", &app::LimitSettings::parked,
       "Maximum number of calls per worker that wait for input from a client without a session.",
       Range{0, 1'000'000}, Alias{"parked"}},
      {"max_calls", &app::LimitSettings::calls, "Maximum number of calls in progress.",
       Range{1, 1'000'000}, Alias{"calls"}},
      {"rates", &app::LimitSettings::rates,
       "Rate limits and concurrency limits of calls. Each row counts on its own."},
      {"max_rate_keys", &app::LimitSettings::rate_keys,
       "Maximum number of callers, addresses and tools that the rows of `rates` track. Further "
       "ones share a single counter.",
       Range{16, 10'000'000}, Alias{"rate_keys"}},
      {"results", &app::LimitSettings::results,
       "Size limits of tool results. The first row that matches a tool applies."},
      {"max_stored_results_size", &app::LimitSettings::stored_results,
       "Maximum total size of stored results that exceeded their limit. The oldest are evicted.",
       Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 36}}, Alias{"kept_results"}},
      {"stored_results_page_size", &app::LimitSettings::stored_page,
       "Size of one page when a stored result is read.", Range{Bytes{1024}, Bytes{16 << 20}},
       Alias{"kept_page"}},
      {"stored_results_ttl", &app::LimitSettings::stored_time,
       "How long a stored result stays available.", Range{Duration(1'000), Duration(86'400'000)},
       Alias{"kept_time"}},
      {"max_body_size", &app::LimitSettings::body, "Maximum size of a request body.",
       Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"body"}},
      {"max_connections", &app::LimitSettings::connections, "Maximum number of open connections.",
       Range{1, 1'000'000}, Alias{"connections"}},
      {"max_connections_per_address", &app::LimitSettings::max_connections_per_address,
       "Maximum number of open connections per client address; IPv6 addresses count by their "
       "/64. 0: a quarter of `max_connections`, and no limit for addresses of this machine.",
       Range{0, 1'000'000}},
      {"max_sessions_per_caller", &app::LimitSettings::max_sessions_per_caller,
       "Maximum number of open sessions per caller, or per address without authentication. 0: a "
       "quarter of `max_sessions`, and no limit for unauthenticated callers on this machine.",
       Range{0, 10'000'000}},
      {"max_streams_per_caller", &app::LimitSettings::max_streams_per_caller,
       "Maximum number of event streams for notifications per caller. 0: a quarter of "
       "`max_connections`.",
       Range{0, 1'000'000}},
      {"max_websockets_per_caller", &app::LimitSettings::max_websockets_per_caller,
       "Maximum number of WebSocket and wire protocol connections per caller. 0: a quarter of "
       "`max_connections`.",
       Range{0, 1'000'000}},
      {"max_live_streams", &app::LimitSettings::max_live_streams,
       "Maximum number of event streams of the control API, of all callers together. Beyond it, "
       "requests are answered with 503.",
       Range{0, 100'000}},
      {"max_live_streams_per_caller", &app::LimitSettings::max_live_streams_per_caller,
       "Maximum number of such streams per caller; admins may have all of them. Beyond it, "
       "requests are answered with 429.",
       Range{0, 100'000}},
      {"max_live_calls_per_second", &app::LimitSettings::max_live_calls_per_second,
       "Maximum number of calls per second that such a stream sends; the others are counted. They "
       "are sent in four parts per second.",
       Range{1, 100'000}},
      {"max_tools_off", &app::LimitSettings::max_tools_off,
       "Maximum number of tools that admins may switch off while the gateway runs. Those that are "
       "off already stay off.",
       Range{0, 1'000'000}},
      {"max_queued_admin_jobs", &app::LimitSettings::max_queued_admin_jobs,
       "Maximum number of requests about tokens and the configuration that wait in the control API "
       "while one runs. Beyond it, requests are answered with 503.",
       Range{0, 10'000}},
      {"max_parked_per_caller", &app::LimitSettings::max_parked_per_caller,
       "Maximum number of calls per caller that wait for input from their client. 0: a quarter "
       "of `max_parked_calls`.",
       Range{0, 1'000'000}},
      {"max_input_requests_per_call", &app::LimitSettings::max_questions_per_call,
       "Maximum number of input requests to a client without a session in the course of one call.",
       Range{1, 10'000}},
      {"max_memory", &app::LimitSettings::memory,
       "Maximum memory the gateway may allocate. Beyond it, new calls and bodies are answered "
       "with 503. 0: half of the memory of the machine or its cgroup, at most 1 GiB.",
       Range{Bytes{0}, Bytes{std::uint64_t{1} << 44}}, Alias{"memory"}},
      {"max_request_line_size", &app::LimitSettings::request_line,
       "Maximum size of the request line.", Range{Bytes{256}, Bytes{1 << 20}},
       Alias{"request_line"}},
      {"max_headers_size", &app::LimitSettings::headers,
       "Maximum size of the request line and all header fields.",
       Range{Bytes{1024}, Bytes{1 << 20}}, Alias{"headers"}},
      {"max_header_fields", &app::LimitSettings::header_fields,
       "Maximum number of header fields in a request.", Range{8, 10'000}, Alias{"header_fields"}},
      {"max_header_line_size", &app::LimitSettings::max_header_line_size,
       "Maximum size of one header field in a request.", Range{Bytes{256}, Bytes{1 << 20}}},
      {"header_timeout", &app::LimitSettings::header_time,
       "Maximum time to receive the header of a request.", Range{Duration(10), Duration(600'000)},
       Alias{"header_time"}},
      {"body_timeout", &app::LimitSettings::body_time,
       "Maximum time to receive the body of a request.", Range{Duration(10), Duration(3'600'000)},
       Alias{"body_time"}},
      {"idle_timeout", &app::LimitSettings::idle_time,
       "Maximum time a connection waits for its next request.",
       Range{Duration(10), Duration(3'600'000)}, Alias{"idle_time"}},
      {"write_timeout", &app::LimitSettings::write_time,
       "Maximum time a client may take to accept the next part of a response.",
       Range{Duration(10), Duration(3'600'000)}, Alias{"write_time"}},
      {"max_sessions", &app::LimitSettings::sessions, "Maximum number of open sessions.",
       Range{1, 10'000'000}, Alias{"sessions"}},
      {"session_idle_timeout", &app::LimitSettings::session_idle,
       "Time without a request or an open stream after which a session ends.",
       Range{Duration(1'000), Duration(604'800'000)}, Alias{"session_idle"}},
      {"max_session_age", &app::LimitSettings::max_session_age,
       "Age up to which a session goes on after a restart of the gateway. The end of a session is "
       "stored until then.",
       Range{Duration(1'000), Duration(2'592'000'000)}},
      {"max_stream_buffer_size", &app::LimitSettings::stream_buffer,
       "Maximum size of the notifications queued for a slow reader of an event stream. Beyond "
       "it, notifications are dropped, or the stream is closed if it can be resumed. Answers "
       "wait for the reader.",
       Range{Bytes{4096}, Bytes{1 << 30}}, Alias{"stream_buffer"}},
      {"stream_delay", &app::LimitSettings::stream_after,
       "Time after which a call is answered with an event stream, which the client can resume.",
       Range{Duration(10), Duration(3'600'000)}, Alias{"stream_after"}},
      {"stream_keep_alive_interval", &app::LimitSettings::stream_keep_alive,
       "Interval between keep-alive comments on an idle event stream.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"stream_keep_alive"}},
      {"max_replay_size", &app::LimitSettings::replay,
       "Maximum size of the events stored per stream for clients that reconnect.",
       Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"replay"}},
      {"max_total_replay_size", &app::LimitSettings::replay_total,
       "Maximum total size of the events stored per worker for ended streams.",
       Range{Bytes{1024}, Bytes{std::uint64_t{1} << 36}}, Alias{"replay_total"}},
      {"replay_ttl", &app::LimitSettings::replay_time,
       "How long the events of an ended stream are stored.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"replay_time"}},
      {"max_metric_names", &app::LimitSettings::metric_names,
       "Maximum number of tools, and of clients, that metrics count by name: the busiest. The "
       "others are counted together, as `other`.",
       Range{0, 100'000}},
      {"max_stored_stderr_lines", &app::LimitSettings::stored_stderr_lines,
       "Number of lines per upstream that its programs have last written to stderr, for admins at "
       "`/control/v1/upstreams/NAME`. 0: none.",
       Range{0, 10'000}},
      {"max_batch_messages", &app::LimitSettings::batch, "Maximum number of messages in a batch.",
       Range{1, 10'000}, Alias{"batch"}},
      {"page_size", &app::LimitSettings::page, "Number of items in one page of a list.",
       Range{1, 1'000'000}, Alias{"page"}},
      {"max_pins_per_upstream", &app::LimitSettings::pins,
       "Maximum number of tools per upstream whose definitions are pinned (see `pins`).",
       Range{1, 1'000'000}, Alias{"pins"}},
      {"start_timeout", &app::LimitSettings::start,
       "Maximum time the first tool list waits for upstreams that are still starting.",
       Range{Duration(0), Duration(600'000)}, Alias{"start"}},
      {"stdio_start_timeout", &app::LimitSettings::stdio_start,
       "The same for the client of `patchbay stdio`. Many such clients ask for the list once.",
       Range{Duration(0), Duration(600'000)}},
      {"stale_list_ttl", &app::LimitSettings::listed_after_loss,
       "How long the tools of an upstream stay listed while it is down.",
       Range{Duration(0), Duration(604'800'000)}, Alias{"listed_after_loss"}},
      {"list_debounce_interval", &app::LimitSettings::list_debounce,
       "Changes of a list within this interval are sent to clients as one notification.",
       Range{Duration(0), Duration(60'000)}, Alias{"list_debounce"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<gateway::ValidationSettings>() {
  static const Fields kFields = fields_of<gateway::ValidationSettings>({
      {"arguments", &gateway::ValidationSettings::arguments,
       "Whether the arguments of a call must match the tool's input schema."},
      {"results", &gateway::ValidationSettings::results,
       "Whether a result must match the tool's output schema."},
      {"max_tasks", &gateway::ValidationSettings::tasks,
       "Maximum number of tasks whose tool is remembered, so that their results can be validated "
       "and linked to in traces.",
       Range{0, 1'000'000}, Alias{"tasks"}},
      {"unusable_schemas", &gateway::ValidationSettings::unusable_schemas,
       "What `enforce` does with calls of a tool whose schema cannot be used: refuse them, or "
       "pass them unchecked."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::LogSection>() {
  static const Fields kFields = fields_of<app::LogSection>({
      {"level", &app::LogSection::level, "Lowest level that is logged."},
      {"format", &app::LogSection::format, "Format of log lines."},
      {"calls", &app::LogSection::calls, "Whether each call is logged."},
      {"messages", &app::LogSection::messages,
       "Whether each message to and from a program is logged at level debug. Messages may "
       "contain secrets."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::StdioSection>() {
  static const Fields kFields = fields_of<app::StdioSection>({
      {"allowed_commands", &app::StdioSection::allowed_commands,
       "Programs that stdio upstreams may run: paths, or names found in PATH. Absent: any "
       "program."},
      {"env_pass", &app::StdioSection::env_pass,
       "Names of variables to pass from the gateway's environment to every stdio upstream."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::WireSection>() {
  static const Fields kFields =
      join({inherited<app::WireSection, frontends::WireSettings>(),
            fields_of<app::WireSection>({
                {"tls", &app::WireSection::tls,
                 "TLS for the TCP listener (tcps://). Absent: plain TCP, for this machine only."},
            })});
  return kFields;
}

template <>
const config::Fields& config::fields<app::Settings>() {
  static const Fields kFields = fields_of<app::Settings>({
      {"listen", &app::Settings::listen,
       "Address of the HTTP listener. Port 0: the system chooses."},
      {"tls", &app::Settings::tls, "A second listener, for HTTPS. Absent: none."},
      {"workers", &app::Settings::workers, "Number of worker threads. 0: one per core.",
       Range{0, 256}},
      {"server", &app::Settings::server, "What the gateway states about itself to clients."},
      {"names", &app::Settings::names, "Names under which tools are listed."},
      {"upstreams", &app::Settings::upstreams,
       "Upstreams by name: a section, or an endpoint such as stdio://python3 server.py. Absent: "
       "the built-in skills and the osquery server."},
      {"servers", &app::Settings::servers,
       "Upstreams as a list of name:endpoint: one string with commas or line breaks, a YAML "
       "list, or a map."},
      {"mcp.servers", &app::Settings::mcp_dot_servers, "Same as `servers`."},
      {"mcpServers", &app::Settings::mcp_servers,
       "Upstreams in the format of desktop clients: command, args, env; or url, type, headers."},
      {"goals", &app::Settings::goals, "Settings for goals in natural language."},
      {"limits", &app::Settings::limits, "Limits of time, size and number."},
      {"validation", &app::Settings::validation,
       "Validation of arguments and results against the schemas of tools: off, warn or enforce."},
      {"rules", &app::Settings::rules,
       "Access rules by role. Absent: every caller may use everything. Present: only what a "
       "rule allows."},
      {"approvals", &app::Settings::approvals,
       "Settings for calls that a person must approve (`approve` in a rule)."},
      {"pins", &app::Settings::pins,
       "What happens to a tool whose definition has changed since it was first seen: warn logs "
       "it, block hides it until it is accepted, ignore does nothing."},
      {"state", &app::Settings::state,
       "Folder for persistent state. Empty: STATE_DIRECTORY of the environment; without it, "
       "nothing outlives the process."},
      {"cluster", &app::Settings::cluster,
       "What clients hold of the gateway, such as sessions, after a restart."},
      {"stdio", &app::Settings::stdio, "Settings common to all stdio upstreams."},
      {"http", &app::Settings::http, "Access to the HTTP listener."},
      {"proxies", &app::Settings::proxies,
       "Reverse proxies and load balancers that state the addresses of clients."},
      {"ready", &app::Settings::ready, "What `/ready` requires."},
      {"auth", &app::Settings::auth,
       "Authentication of callers. Absent: none, and the listener must be on loopback."},
      {"sign_in", &app::Settings::sign_in,
       "Sign-in of people for upstreams that require it (`auth` of an upstream)."},
      {"rest", &app::Settings::rest, "Tools and resources over plain HTTP."},
      {"console", &app::Settings::console, "The web page of the gateway, at /console/."},
      {"wire", &app::Settings::wire,
       "Wire protocol over TCP and WebSocket. Absent: no TCP listener, and WebSocket with the "
       "defaults."},
      {"bus_serve", &app::Settings::bus_serve,
       "Settings of `patchbay bus serve`, which answers requests from a Kafka bus."},
      {"audit", &app::Settings::audit,
       "Audit log of calls. It is on if a file or a database is given."},
      {"telemetry", &app::Settings::telemetry,
       "Export of traces, metrics and logs over OTLP, and the calls that are stored in memory."},
      {"log", &app::Settings::log, "Settings of the log on stderr."},
      {"reload", &app::Settings::reload, "Reloading of a changed configuration."},
      {"stop", &app::Settings::stop, "Shutdown of the gateway."},
  });
  return kFields;
}

}  // namespace patchbay
