#include "mcp_client/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::ClientSettings>() {
  static const Fields kFields = fields_of<upstreams::ClientSettings>({
      {"name", &upstreams::ClientSettings::name,
       "Client name sent to the server. Empty: patchbay."},
      {"version", &upstreams::ClientSettings::version,
       "Client version sent to the server. Empty: that of the gateway."},
      {"capabilities", &upstreams::ClientSettings::capabilities,
       "Client capabilities declared to the server. Empty: all that clients of the gateway may "
       "have."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::ProtocolSettings>() {
  static const Fields kFields = fields_of<upstreams::ProtocolSettings>({
      {"revision", &upstreams::ProtocolSettings::revision,
       "MCP revision proposed to the server. newest: the newest that the server supports."},
      {"ids", &upstreams::ProtocolSettings::ids,
       "Type of request ids: numbers, or strings of digits."},
      {"client", &upstreams::ProtocolSettings::client,
       "Client information sent when a session opens."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::RestartSettings>() {
  static const Fields kFields = fields_of<upstreams::RestartSettings>({
      {"initial_interval", &upstreams::RestartSettings::first,
       "Wait before the first restart. It doubles with each further exit.",
       Range{Duration(1), Duration(60'000)}, Alias{"first"}},
      {"max_interval", &upstreams::RestartSettings::most, "Maximum wait before a restart.",
       Range{Duration(1), Duration(3'600'000)}, Alias{"most"}},
      {"breaker_threshold", &upstreams::RestartSettings::breaker,
       "Number of exits within the window after which calls fail at once and restarts wait "
       "`max_interval`.",
       Range{1, 1'000'000}, Alias{"breaker"}},
      {"window", &upstreams::RestartSettings::window,
       "Duration of the window in which exits are counted.",
       Range{Duration(1'000), Duration(86'400'000)}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::HealthSettings>() {
  static const Fields kFields = fields_of<upstreams::HealthSettings>({
      {"interval", &upstreams::HealthSettings::interval,
       "Interval between health checks of a server without calls. 0: never.",
       Range{Duration(0), Duration(86'400'000)}},
      {"timeout", &upstreams::HealthSettings::timeout,
       "Maximum time to wait for the reply to a health check.",
       Range{Duration(10), Duration(600'000)}},
      {"max_failures", &upstreams::HealthSettings::failures,
       "Number of consecutive failed checks after which the server counts as lost.", Range{1, 100},
       Alias{"failures"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::TaskSettings>() {
  static const Fields kFields = fields_of<upstreams::TaskSettings>({
      {"min_poll_interval", &upstreams::TaskSettings::fastest,
       "Minimum interval between polls of a task, whatever the server asks for.",
       Range{Duration(10), Duration(60'000)}, Alias{"fastest"}},
      {"max_poll_interval", &upstreams::TaskSettings::slowest,
       "Maximum interval between polls of a task.", Range{Duration(10), Duration(3'600'000)},
       Alias{"slowest"}},
      {"max_tasks", &upstreams::TaskSettings::most,
       "Maximum number of tasks per connection that are followed, wait for input of a client "
       "without a session, or are stored.",
       Range{1, 1'000'000}, Alias{"most"}},
      {"stored_results_ttl", &upstreams::TaskSettings::keep,
       "How long an immediate result is stored for a client that asked for a task.",
       Range{Duration(1'000), Duration(86'400'000)}, Alias{"keep"}},
      {"max_stored_results_size", &upstreams::TaskSettings::stored,
       "Maximum total size of such results per connection.", Range{Bytes{1024}, Bytes{1 << 30}},
       Alias{"kept"}},
  });
  return kFields;
}

// The common part of every such upstream's table.
template <>
const config::Fields& config::fields<upstreams::McpSettings>() {
  static const Fields kFields = fields_of<upstreams::McpSettings>({
      {"timeout", &upstreams::McpSettings::timeout,
       "Maximum duration of a call to this upstream; progress restarts it. 0: "
       "limits.call_timeout. At most limits.max_call_timeout.",
       Range{Duration(0), Duration(86'400'000)}},
      {"start_timeout", &upstreams::McpSettings::start_time,
       "Maximum time for the handshake and the first tool list. A program that writes to "
       "stderr meanwhile gets this time again with each line; each attempt that takes "
       "too long doubles it for the next, both up to `max_start_timeout`.",
       Range{Duration(100), Duration(600'000)}, Alias{"start_time"}},
      {"max_start_timeout", &upstreams::McpSettings::max_start_time,
       "Maximum time to start for a server that makes progress, or that took too long "
       "in earlier attempts.",
       Range{Duration(100), Duration(86'400'000)}},
      {"probe_timeout", &upstreams::McpSettings::probe_time,
       "Maximum time to wait for the reply to the stateless revision's probe, before "
       "the handshake of the session-based revisions is tried.",
       Range{Duration(10), Duration(600'000)}, Alias{"probe_time"}},
      {"restart", &upstreams::McpSettings::restart, "Backoff for restarting or reconnecting."},
      {"health", &upstreams::McpSettings::health, "Health checks."},
      {"tasks", &upstreams::McpSettings::tasks,
       "Handling of tasks: calls that continue after the first reply."},
      {"protocol", &upstreams::McpSettings::protocol,
       "Protocol settings for servers that need them.", Alias{"speech"}},
      {"isolation", &upstreams::McpSettings::isolation,
       "Who shares a connection, and with it the server's state: all callers (shared), "
       "one session (per-session), or one principal (per-principal). A client without a "
       "session counts by its principal."},
      {"max_notifications", &upstreams::McpSettings::max_notifications,
       "Maximum number of notifications per second on one connection. Further ones are dropped, "
       "counted and logged occasionally. Of the progress of a call, the newest is sent later. "
       "List "
       "changes are never dropped: see `min_list_interval`. 0: no limit.",
       Range{0, 1'000'000}},
      {"request_progress", &upstreams::McpSettings::requests_progress,
       "Requests progress for every call, so that progress restarts its time limit even "
       "if its client did not ask for progress. false: only for calls whose client did."},
      {"min_list_interval", &upstreams::McpSettings::min_list_interval,
       "Minimum time between two requests for the lists of a server that reports "
       "changes of them. 0: none.",
       Range{Duration(0), Duration(3'600'000)}},
      {"isolated_idle_timeout", &upstreams::McpSettings::idle,
       "Time without calls after which a connection that is not shared is closed.",
       Range{Duration(100), Duration(86'400'000)}, Alias{"idle"}},
      {"max_isolated_connections", &upstreams::McpSettings::most,
       "Maximum number of connections that are not shared.", Range{1, 100'000}, Alias{"most"}},
      {"max_isolated_connections_per_caller", &upstreams::McpSettings::most_of_caller,
       "Maximum number of them that one caller may have. 0: a quarter of "
       "`max_isolated_connections`, and no limit for unauthenticated callers on this "
       "machine.",
       Range{0, 100'000}},
  });
  return kFields;
}

}  // namespace patchbay
