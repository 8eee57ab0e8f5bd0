// A CallRecord describes a finished call: the caller, the item, the outcome, and when each stage
// began and ended. Its texts and stages belong to somebody else: to the call that has just ended,
// or to the StoredCall that was made of it.
//
// A value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace/context.h"

namespace patchbay::trace {

// The parts of a call that are timed. Each becomes a span below the span of the call.
enum class Stage : std::uint8_t {
  authenticate,  // Verifying the credentials of the request.
  limit,         // Memory, the number of calls, rates.
  authorize,     // Rules, and the rates of the upstream.
  approve,       // Waiting for a person to approve the call.
  route,         // Finding the item, and waiting for the catalog if it is not complete yet.
  queue,         // Waiting for the worker of the upstream, or for the upstream to start.
  attempt,       // One request to the upstream: a CLIENT span, which the upstream continues.
  ask,           // A question to the client: a CLIENT span, which the client continues.
  validate,      // Checking arguments and result against the schemas of the tool.
  record,        // Writing the audit record, if calls wait for that.
};
inline constexpr std::array<std::string_view, 10> kStageNames{
    "authenticate", "limit",   "authorize", "approve",  "route",
    "queue",        "attempt", "ask",       "validate", "record"};
inline std::string_view name_of(Stage stage) {
  return kStageNames[static_cast<std::size_t>(stage)];
}

struct StageTime {
  Stage stage;
  bool failed;
  std::uint16_t http_status = 0;  // Of the answer; 0: there was none, or it is no request of HTTP.
  SpanId span;                    // Zero for stages that nobody else continues.
  std::int64_t began_ns;          // Since the call began; negative for what came before it.
  std::int64_t took_ns;
  SpanId parent = {};  // Zero: the span of the call.
};

// Further stages of a call are counted, not stored.
inline constexpr std::size_t kMaxStages = 24;

struct StageTimes {
  StageTimes() {}  // Not defaulted: `StageTimes{}` would zero the stages.
  // Only the stages in use are copied.
  StageTimes(const StageTimes& other) { *this = other; }
  StageTimes& operator=(const StageTimes& other) {
    std::copy_n(other.stages.begin(), other.count, stages.begin());
    count = other.count;
    dropped = other.dropped;
    return *this;
  }

  std::uint16_t count = 0;
  std::uint16_t dropped = 0;
  std::array<StageTime, kMaxStages> stages;  // Uninitialized beyond `count`.
};

// How a request was received from the client or sent to the upstream, as far as its protocol has
// conventions of its own for spans.
struct RequestTarget {
  std::string method = {};        // Of HTTP.
  std::string to = {};            // The path, or its template; or a topic.
  std::string server = {};        // The host that it was sent to,
  int port = 0;                   // and its port.
  std::string conversation = {};  // By which records on a bus belong together.
};

// The parts of a record that need no memory of their own.
struct CallNumbers {
  SpanContext context = {};  // Of the span of the call. Not sampled: it is in the history only.
  SpanId parent = {};        // Zero: the call is the root of its trace.
  SpanContext link = {};     // The call that this one continues, if valid: a parked call, a task.
  std::int64_t began_unix_ns = 0;
  std::int64_t took_ns = 0;
  std::string_view frontend = {};  // A constant: "mcp-http".
  std::string_view revision = {};  // A constant: of the protocol, "2025-11-25".
  std::string_view outcome = {};   // A constant: "ok", "tool_error", or the name of an error.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  int error_code = 0;   // Of JSON-RPC; 0: no error.
  bool failed = false;  // The outcome is not ok.
  std::uint16_t dropped_stages = 0;
};

struct CallRecord : CallNumbers {
  std::string_view method = {};  // Of MCP: "tools/call".
  std::string_view target = {};  // As requested: a name or a URI.
  std::string_view tool = {};    // The name in metrics, `upstream.tool`; empty for other methods.
  std::string_view upstream = {};
  std::string_view upstream_kind = {};
  std::string_view caller = {};      // The name of the principal.
  std::string_view caller_id = {};   // See gateway::recorded_id().
  std::string_view client = {};      // Name and version of the client program.
  std::string_view from = {};        // The address of the client.
  std::string_view session = {};     // A digest of the session id, never the id itself.
  std::string_view request_id = {};  // Of JSON-RPC, raw.
  std::string_view rule = {};        // The rule that decided.
  std::span<const StageTime> stages = {};
};

}  // namespace patchbay::trace
