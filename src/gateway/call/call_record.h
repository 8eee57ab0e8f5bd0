// Builds the record of a finished call, which is stored in the history and exported as spans. It
// contains nothing secret: arguments and results only where the settings allow it, redacted.
//
// Called on the worker that the call belongs to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/call.h"
#include "gateway/call/call_metrics.h"
#include "mcp/reply.h"
#include "trace/call_history.h"
#include "trace/span_queue.h"

namespace patchbay::gateway {

// The destinations of the records of one worker's calls. Null: none.
struct Tracing {
  trace::CallHistory* history = nullptr;
  trace::SpanQueue* queue = nullptr;
  trace::Sampling sampling = {};
  std::size_t content = 0;  // Maximum size of the arguments, and of the result; 0: neither.
  std::vector<std::string> redact = {};  // As in the audit.

  bool is_on() const { return history || sampling.enabled; }
};

// How records name a caller: by its id, or by a digest of one that is longer than a record has room
// for, so that no two callers have the same.
std::string recorded_id(const Principal& caller);

// How a call has ended, and when: read from the clocks once, for everything that records it.
struct CallEnd {
  Outcome outcome;
  bool sampled = false;  // It is exported, if anything is.
  double seconds = 0;    // How long the client has waited for it here.
  std::chrono::system_clock::time_point when;
  std::int64_t began_unix_ns = 0;  // When its trace began.
};

// When a trace that has ended began, if it ended at `when`.
std::int64_t began_unix_ns(const trace::CallTrace& trace,
                           std::chrono::system_clock::time_point when);

// The outcome and the times of a call that has just ended. Ends the stage in progress.
CallEnd end_of(const Call& call, const mcp::Reply& reply, Deadline began,
               const trace::Sampling& sampling);

// The part of a record that its trace contains. REQUIRES: the trace outlives the record.
trace::CallRecord record_of(const trace::CallTrace& trace, std::int64_t began_unix_ns);

// The record of a call that has just ended. REQUIRES: the call outlives it. Its caller may have an
// id that is too long for a record.
trace::CallRecord record_of(const Call& call, const mcp::Reply& reply, const CallEnd& end);

// What is exported of it: arguments and result only if the settings allow it.
trace::ExportedCall exported(const trace::CallRecord& record, const trace::CallTrace& trace);
trace::ExportedCall exported(const trace::CallRecord& record, const Call& call,
                             const mcp::Reply& reply, const Tracing& tracing);

}  // namespace patchbay::gateway
