// Builds the record of a finished call, which is stored in the history and exported as spans. It
// contains nothing secret: arguments and results only where the settings allow it, redacted.
//
// Called on the worker that the call belongs to.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/call.h"
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

// The outcome as far as it is known.
struct CallEnd {
  std::string_view outcome;  // A constant.
  bool failed = false;
  bool sampled = false;  // It is exported.
  std::chrono::nanoseconds took{};
};

// Where the request was received.
trace::RequestTarget received_at(const trace::CallTrace& trace);

// Writes the contents of a trace into an empty record of a call that has just ended.
void write_trace(trace::CallRecord& record, const trace::CallTrace& trace,
                 std::chrono::nanoseconds took);

// Writes the parts of a call that the history stores into an empty record.
void write_record(trace::CallRecord& record, const Call& call, const mcp::Reply& reply,
                  const CallEnd& end);

// The arguments and the result of a call, as far as the settings say that they are exported.
struct ExportedContent {
  std::string arguments;
  std::string result;
};
ExportedContent exported_content(const Call& call, const mcp::Reply& reply, const Tracing& tracing);

// Adds what only exported records have. `session` is a digest.
void complete_export(trace::CallRecord& record, const Call& call, std::string_view session,
                     ExportedContent content);

}  // namespace patchbay::gateway
