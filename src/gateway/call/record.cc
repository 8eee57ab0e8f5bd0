#include "gateway/call/record.h"

#include "async/one_shot.h"
#include "crypto/sha256.h"
#include "gateway/call/client_info.h"
#include "gateway/call/trace.h"
#include "json/read.h"
#include "observe/log.h"

namespace patchbay::gateway {
namespace {

// A result that states that its tool failed. The results of tools alone have that member.
bool states_failure(const Call& call, const mcp::Reply& reply) {
  const bool of_tool = call.method.action == mcp::Action::call_tool ||
                       call.method.action == mcp::Action::task_result;
  if (!of_tool) return false;
  if (reply.from) return reply.has_failed;
  // Most of our own results have it nowhere, and a search costs less than reading them as JSON.
  return reply.body.contains(R"("isError")") && json::member(reply.body, "isError") == "true";
}

Outcome outcome_of(const Call& call, const mcp::Reply& reply) {
  if (reply.why) return static_cast<Outcome>(*reply.why);
  if (reply.is_error) return Outcome::upstream_error;
  return states_failure(call, reply) ? Outcome::tool_error : Outcome::ok;
}

std::string_view name_of(Outcome outcome) {
  if (outcome == Outcome::ok) return "ok";
  if (outcome == Outcome::upstream_error) return "upstream_error";
  if (outcome == Outcome::tool_error) return "tool_error";
  return info(static_cast<Code>(outcome)).name;
}

double seconds_since(Deadline began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
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
  record.trace = trace_id(traceparent_of(call));
  record.ms = seconds_since(began) * 1e3;
  record.bytes_in = call.bytes_in;
  record.bytes_out = reply.body.size();
  return record;
}

}  // namespace

Recorder::Series& Recorder::series(const std::string& upstream) {
  auto& found = by_upstream_[upstream];
  if (!found.seconds) {
    found.seconds = registry_.histogram("patchbay_call_seconds", "How long calls took.",
                                        metrics::labels({{"upstream", upstream}}));
  }
  return found;
}

void Recorder::count(const std::string& upstream, Outcome outcome, double seconds) {
  auto& known = series(upstream);
  auto& counter = known.calls[static_cast<std::size_t>(outcome)];
  if (!counter) {
    const auto labels = metrics::labels({{"upstream", upstream}, {"outcome", name_of(outcome)}});
    counter = registry_.counter("patchbay_calls_total", "Calls by upstream and outcome.", labels);
  }
  counter->add();
  known.seconds->observe(seconds);
}

// What is beyond the first names is counted together, since clients choose some of them.
void Recorder::count(Named& named, std::string_view name, Outcome outcome) {
  auto known = named.by_name.find(name);
  if (known == named.by_name.end()) {
    const std::string label = registry_.bounded(named.family, name, max_names_);
    known = named.by_name.try_emplace(label).first;
  }
  auto& counter = known->second[static_cast<std::size_t>(outcome)];
  if (!counter) {
    const auto labels =
        metrics::labels({{named.label, known->first}, {"outcome", name_of(outcome)}});
    counter = registry_.counter(named.family, named.help, labels);
  }
  counter->add();
}

void Recorder::record(const Call& call, const mcp::Reply& reply, Deadline began) {
  const double seconds = seconds_since(began);
  const auto outcome = outcome_of(call, reply);
  count(call.upstream, outcome, seconds);
  if (!call.tool.empty()) count(by_tool_, call.tool, outcome);
  count(by_client_, client_name(call.client_info), outcome);
  if (log_calls_) log(call, reply, outcome, seconds);
  if (audit_ && !must_keep()) audit_->put(audit_record(call, reply, began, audit_->settings()));
}

Task<void> Recorder::keep(const Call& call, const mcp::Reply& reply, Deadline began) {
  auto stored = std::make_shared<OneShot<void>>();
  audit_->put(audit_record(call, reply, began, audit_->settings()),
              [stored, &owner = here()](Result<void> written) {
                owner.post([stored, written = std::move(written)] { stored->deliver(written); });
              });
  // The call is over, cancelled or not: its record is waited for all the same.
  co_return co_await stored->wait().ignore_stop();
}

void Recorder::log(const Call& call, const mcp::Reply& reply, Outcome outcome, double seconds) {
  log::Line line(log::Level::info, "call");
  line.add("id", call.request.id)
      .add("frontend", call.frontend)
      .add("who", call.caller ? call.caller->name : "nobody");
  if (!call.client_info.empty()) line.add("client", call.client_info);
  line.add("method", call.request.method)
      .add("name", call.target)
      .add("upstream", call.upstream)
      .add("outcome", name_of(outcome))
      .add_ms("ms", seconds * 1e3)
      .add("in", std::uint64_t{call.bytes_in})
      .add("out", std::uint64_t{reply.body.size()});
}

}  // namespace patchbay::gateway
