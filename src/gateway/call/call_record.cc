#include "gateway/call/call_record.h"

#include <algorithm>
#include <utility>

#include "crypto/sha256.h"
#include "json/read.h"
#include "policy/audit/record.h"

namespace patchbay::gateway {
namespace {

// Only results of tools state that they failed.
bool is_of_tool(const Call& call) {
  return call.method.action == mcp::Action::call_tool ||
         call.method.action == mcp::Action::task_result;
}

Outcome outcome_of(const Call& call, const mcp::Reply& reply) {
  if (reply.why) return static_cast<Outcome>(*reply.why);
  if (reply.is_error) return Outcome::upstream_error;
  return reply.has_failed && is_of_tool(call) ? Outcome::tool_error : Outcome::ok;
}

bool has_room(std::string_view caller_id) { return caller_id.size() <= trace::kMaxCallerId; }

// Not within the bytes of one UTF-8 character.
void cut(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  std::size_t size = most;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  text.resize(size);
}

}  // namespace

std::string recorded_id(const Principal& caller) {
  return has_room(caller.id) ? caller.id : "sha256:" + policy::sha256(caller.id);
}

std::int64_t began_unix_ns(const trace::CallTrace& trace,
                           std::chrono::system_clock::time_point when) {
  const auto ended = std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch());
  return (ended - trace.took()).count();
}

CallEnd end_of(const Call& call, const mcp::Reply& reply, Deadline began,
               const trace::Sampling& sampling) {
  CallEnd end{.outcome = outcome_of(call, reply), .when = std::chrono::system_clock::now()};
  trace::CallTrace& trace = call.trace;
  const bool is_recorded = trace.is_recorded();
  const Deadline ended = is_recorded ? trace.end() : Clock::now();
  end.seconds = std::chrono::duration<double>(ended - began).count();
  if (!is_recorded) return end;
  end.began_unix_ns = began_unix_ns(trace, end.when);
  end.sampled = trace.context().sampled || sampling.keeps(end.outcome != Outcome::ok, trace.took());
  return end;
}

trace::CallRecord record_of(const trace::CallTrace& trace, std::int64_t began_unix_ns) {
  trace::CallRecord record;
  record.context = trace.context();
  if (trace.parent()) record.parent = trace.parent()->span;
  record.link = trace.link();
  record.took_ns = trace.took().count();
  record.began_unix_ns = began_unix_ns;
  record.stages = std::span(trace.stages().stages).first(trace.stages().count);
  record.dropped_stages = trace.stages().dropped;
  return record;
}

trace::CallRecord record_of(const Call& call, const mcp::Reply& reply, const CallEnd& end) {
  trace::CallRecord record = record_of(call.trace, end.began_unix_ns);
  record.context.sampled = end.sampled;
  record.frontend = call.frontend;
  record.revision = mcp::info(call.revision).name;
  record.outcome = name_of(end.outcome);
  record.failed = end.outcome != Outcome::ok;
  if (reply.is_error) {
    const auto code = json::as_int(json::member(reply.body, "code").value_or(""));
    record.error_code = static_cast<int>(code.value_or(0));
  }
  record.method = call.request.method;
  record.target = call.target;
  record.tool = call.tool;
  record.upstream = call.upstream;
  record.upstream_kind = call.upstream_kind;
  if (call.caller) {
    record.caller = call.caller->name;
    record.caller_id = call.caller->id;
  }
  record.client = call.client_info;
  record.from = call.from;
  record.session = call.session_digest;
  record.request_id = call.request.id;
  record.rule = call.rule;
  record.bytes_in = call.bytes_in;
  record.bytes_out = reply.body.size();
  return record;
}

trace::ExportedCall exported(const trace::CallRecord& record, const trace::CallTrace& trace) {
  constexpr std::size_t kMostPath = 256;  // Clients choose it.
  const trace::ReceivedContext& received = trace.received();
  trace::ExportedCall call{.call = trace::StoredCall(record),
                           .tracestate = std::string(trace.tracestate()),
                           .received = {.method = std::string(received.method),
                                        .to = std::string(received.to.substr(0, kMostPath))}};
  if (const auto* const sent = trace.target()) call.sent = *sent;
  return call;
}

trace::ExportedCall exported(const trace::CallRecord& record, const Call& call,
                             const mcp::Reply& reply, const Tracing& tracing) {
  trace::ExportedCall made = exported(record, call.trace);
  if (tracing.content == 0) return made;
  if (const auto* const arguments = call.request.param("arguments")) {
    made.arguments = policy::audited_arguments(arguments->raw, tracing.redact);
    cut(made.arguments, tracing.content);
  }
  made.result = policy::audited_arguments(reply.body, tracing.redact);
  cut(made.result, tracing.content);
  return made;
}

}  // namespace patchbay::gateway
