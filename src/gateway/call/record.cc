#include "gateway/call/record.h"

#include "async/one_shot.h"
#include "crypto/sha256.h"
#include "gateway/call/client_info.h"
#include "observe/log.h"

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

double seconds_since(Deadline began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::chrono::nanoseconds nanoseconds_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

bool is_denied(const Call& call, const mcp::Reply& reply) {
  return call.rule == kHidden || reply.why == Code::forbidden ||
         reply.why == Code::unauthenticated || reply.why == Code::rate_limited;
}

policy::AuditRecord audit_record(const Call& call, const mcp::Reply& reply, Deadline began,
                                 const policy::AuditSettings& settings) {
  policy::AuditRecord record;
  record.when_ms = now_ms();
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
  record.outcome = name_of(outcome_of(call, reply));
  record.trace = trace_id(call);
  record.ms = seconds_since(began) * 1e3;
  record.bytes_in = call.bytes_in;
  record.bytes_out = reply.body.size();
  return record;
}

}  // namespace

void Recorder::record(const Call& call, const mcp::Reply& reply, Deadline began) {
  const double seconds = seconds_since(began);
  const auto outcome = outcome_of(call, reply);
  const auto sampled = sampled_call(call, outcome, seconds);
  metrics_.count({.upstream = call.upstream,
                  .tool = call.tool,
                  .client = client_name(call.client_info),
                  .frontend = call.frontend,
                  .outcome = outcome,
                  .seconds = seconds,
                  .bytes_in = call.bytes_in,
                  .bytes_out = reply.body.size(),
                  .sampled = sampled ? &*sampled : nullptr});
  if (log_calls_) log(call, reply, outcome, seconds);
  if (audit_ && !must_keep()) audit_->put(audit_record(call, reply, began, audit_->settings()));
}

// An exemplar names a trace that exists somewhere: we export the call, or its client samples it.
std::optional<metrics::SampledCall> Recorder::sampled_call(const Call& call, Outcome outcome,
                                                           double seconds) const {
  const auto& parent = call.trace.parent();
  const auto& own = call.trace.context();
  const bool exported =
      own.valid() && exports(own.sampled || tracing_.sampling.keeps(outcome != Outcome::ok,
                                                                    nanoseconds_of(seconds)));
  if (!exported && !(parent && parent->sampled)) return std::nullopt;
  return metrics::SampledCall{.trace = parent ? parent->trace : own.trace,
                              .span = exported ? own.span : trace::SpanId(),
                              .unix_seconds = static_cast<double>(now_ms()) / 1e3};
}

// The final decision about the export. Upstreams have received the decision of the start.
void Recorder::end(const Call& call, const mcp::Reply& reply) const {
  if (!call.trace.is_recorded()) return;
  const auto outcome = outcome_of(call, reply);
  CallEnd end{name_of(outcome), outcome != Outcome::ok};
  end.took = call.trace.end();
  end.sampled = call.trace.context().sampled || tracing_.sampling.keeps(end.failed, end.took);
  if (tracing_.history) {
    tracing_.history->fill(
        [&](trace::CallRecord& record) { write_record(record, call, reply, end); });
  }
  if (!exports(end.sampled)) return;
  const std::string_view session = sessions_.digest_of(call.session);
  ExportedContent content = exported_content(call, reply, tracing_);
  tracing_.queue->fill([&](trace::CallRecord& record) {
    write_record(record, call, reply, end);
    complete_export(record, call, session, std::move(content));
  });
}

void Recorder::end(trace::CallRecord record) const {
  record.context.sampled =
      record.context.sampled ||
      tracing_.sampling.keeps(record.failed, std::chrono::nanoseconds(record.took_ns));
  if (tracing_.history) tracing_.history->put(record);
  if (exports(record.context.sampled)) tracing_.queue->put(std::move(record));
}

Task<void> Recorder::keep(const Call& call, const mcp::Reply& reply, Deadline began) {
  auto stored = std::make_shared<OneShot<void>>();
  audit_->put(audit_record(call, reply, began, audit_->settings()),
              [stored, &owner = here()](Result<void> written) {
                owner.post([stored, written = std::move(written)] { stored->deliver(written); });
              });
  // The call is over, cancelled or not: its record is awaited in any case.
  co_return co_await stored->wait().ignore_stop();
}

// The trace of a call, if somebody else knows it, and its span, if the call is exported.
void Recorder::add_trace(log::Line& line, const Call& call, Outcome outcome, double seconds) const {
  const trace::SpanContext& own = call.trace.context();
  const bool is_exported =
      own.valid() &&
      (own.sampled || tracing_.sampling.keeps(outcome != Outcome::ok, nanoseconds_of(seconds)));
  const auto known = is_exported ? std::optional(own.trace) : call.trace.known_trace();
  if (!known) return;
  trace::TraceDigits trace_digits;
  trace::write_hex(*known, trace_digits);
  line.add("trace", {trace_digits.data(), trace_digits.size()});
  if (!is_exported) return;
  trace::SpanDigits span_digits;
  trace::write_hex(own.span, span_digits);
  line.add("span", {span_digits.data(), span_digits.size()});
}

void Recorder::log(const Call& call, const mcp::Reply& reply, Outcome outcome, double seconds) {
  log::Line line(log::Level::info, "call");
  line.add("id", call.request.id)
      .add("frontend", call.frontend)
      .add("who", call.caller ? call.caller->name : "nobody");
  if (!call.client_info.empty()) line.add("client", call.client_info);
  add_trace(line, call, outcome, seconds);
  line.add("method", call.request.method)
      .add("name", call.target)
      .add("upstream", call.upstream)
      .add("outcome", name_of(outcome))
      .add_ms("ms", seconds * 1e3)
      .add("in", std::uint64_t{call.bytes_in})
      .add("out", std::uint64_t{reply.body.size()});
}

}  // namespace patchbay::gateway
