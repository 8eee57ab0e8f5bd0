#include "gateway/call/record.h"

#include "async/one_shot.h"
#include "crypto/sha256.h"
#include "gateway/call/client_info.h"
#include "observe/log.h"

namespace patchbay::gateway {
namespace {

std::int64_t unix_ms(std::chrono::system_clock::time_point when) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
}

bool is_denied(const Call& call, const mcp::Reply& reply) {
  return call.rule == kHidden || reply.why == Code::forbidden ||
         reply.why == Code::unauthenticated || reply.why == Code::rate_limited;
}

policy::AuditRecord audit_record(const Call& call, const mcp::Reply& reply, const CallEnd& end,
                                 const policy::AuditSettings& settings) {
  policy::AuditRecord record;
  record.when_ms = unix_ms(end.when);
  if (call.caller) {
    record.caller = call.caller->id;
    record.name = call.caller->name;
    record.auth_method = name_of(call.caller->auth_method);
  }
  record.from = call.from;
  record.frontend = call.frontend;
  record.method = call.request.method;
  record.target = call.target;
  record.upstream = call.upstream;
  const auto* const arguments = call.request.param("arguments");
  if (arguments && settings.arguments != policy::AuditArguments::none) {
    record.digest = policy::sha256(arguments->raw);
  }
  if (arguments && settings.arguments == policy::AuditArguments::full) {
    record.arguments = policy::audited_arguments(arguments->raw, settings.redact);
  }
  record.decision = is_denied(call, reply) ? "deny" : "allow";
  record.rule = call.rule;
  record.by = call.approved_by;
  record.client = call.client_info;
  record.outcome = name_of(end.outcome);
  record.trace = trace_id(call);
  record.ms = end.seconds * 1e3;
  record.bytes_in = call.bytes_in;
  record.bytes_out = reply.body.size();
  return record;
}

// The trace of a call, if somebody else knows it, and its span, if the call is exported.
void add_trace(log::Line& line, const Call& call, const CallEnd& end) {
  const trace::SpanContext& own = call.trace.context();
  const auto known = end.sampled ? std::optional(own.trace) : call.trace.known_trace();
  if (!known) return;
  trace::TraceDigits trace_digits;
  trace::write_hex(*known, trace_digits);
  line.add("trace", {trace_digits.data(), trace_digits.size()});
  if (!end.sampled) return;
  trace::SpanDigits span_digits;
  trace::write_hex(own.span, span_digits);
  line.add("span", {span_digits.data(), span_digits.size()});
}

}  // namespace

void Recorder::record(const Call& call, const mcp::Reply& reply, const CallEnd& end) {
  const auto sampled = sampled_call(call, end);
  metrics_.count({.upstream = call.upstream,
                  .tool = call.tool,
                  .client = client_name(call.client_info),
                  .frontend = call.frontend,
                  .outcome = end.outcome,
                  .seconds = end.seconds,
                  .bytes_in = call.bytes_in,
                  .bytes_out = reply.body.size(),
                  .sampled = sampled ? &*sampled : nullptr});
  if (log_calls_) log(call, reply, end);
  if (audit_ && !must_keep()) audit_->put(audit_record(call, reply, end, audit_->settings()));
}

// An exemplar names a trace that exists somewhere: we export the call, or its client samples it.
std::optional<metrics::SampledCall> Recorder::sampled_call(const Call& call,
                                                           const CallEnd& end) const {
  const auto& parent = call.trace.parent();
  const auto& own = call.trace.context();
  const bool exported = exports(end.sampled);
  if (!exported && !(parent && parent->sampled)) return std::nullopt;
  return metrics::SampledCall{.trace = parent ? parent->trace : own.trace,
                              .span = exported ? own.span : trace::SpanId(),
                              .unix_seconds = static_cast<double>(unix_ms(end.when)) / 1e3};
}

void Recorder::end(const Call& call, const mcp::Reply& reply, const CallEnd& end) const {
  if (!call.trace.is_recorded()) return;
  call.trace.end();
  trace::CallRecord record = record_of(call, reply, end);
  std::string short_id;
  if (record.caller_id.size() > trace::kMaxCallerId) {
    short_id = recorded_id(*call.caller);
    record.caller_id = short_id;
  }
  if (tracing_.history) tracing_.history->put(record);
  if (exports(end.sampled)) tracing_.queue->put(exported(record, call, reply, tracing_));
}

void Recorder::end(trace::CallRecord record, const trace::CallTrace& trace) const {
  record.context.sampled =
      record.context.sampled || tracing_.sampling.keeps(record.failed, trace.took());
  if (tracing_.history) tracing_.history->put(record);
  if (exports(record.context.sampled)) tracing_.queue->put(exported(record, trace));
}

Task<void> Recorder::keep(const Call& call, const mcp::Reply& reply, const CallEnd& end) {
  auto stored = std::make_shared<OneShot<void>>();
  audit_->put(audit_record(call, reply, end, audit_->settings()),
              [stored, &owner = here()](Result<void> written) {
                owner.post([stored, written = std::move(written)] { stored->deliver(written); });
              });
  // The call is over, cancelled or not: its record is awaited in any case.
  co_return co_await stored->wait().ignore_stop();
}

void Recorder::log(const Call& call, const mcp::Reply& reply, const CallEnd& end) {
  log::Line line(log::Level::info, "call", end.when);
  line.add("id", call.request.id)
      .add("frontend", call.frontend)
      .add("who", call.caller ? call.caller->name : "nobody");
  if (!call.client_info.empty()) line.add("client", call.client_info);
  add_trace(line, call, end);
  line.add("method", call.request.method)
      .add("name", call.target)
      .add("upstream", call.upstream)
      .add("outcome", name_of(end.outcome))
      .add_ms("ms", end.seconds * 1e3)
      .add("in", std::uint64_t{call.bytes_in})
      .add("out", std::uint64_t{reply.body.size()});
}

}  // namespace patchbay::gateway
