#include "gateway/call/call_record.h"

#include <algorithm>
#include <utility>

#include "crypto/sha256.h"
#include "json/read.h"
#include "policy/audit/record.h"

namespace patchbay::gateway {
namespace {

std::int64_t unix_now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

bool has_room(std::string_view caller_id) {
  return caller_id.size() <= decltype(trace::CallRecord::caller_id)::kMost;
}

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

trace::RequestTarget received_at(const trace::CallTrace& trace) {
  constexpr std::size_t kMostPath = 256;  // Clients choose it.
  const trace::ReceivedContext& received = trace.received();
  return {.method = std::string(received.method),
          .to = std::string(received.to.substr(0, kMostPath))};
}

void write_trace(trace::CallRecord& record, const trace::CallTrace& trace,
                 std::chrono::nanoseconds took) {
  record.context = trace.context();
  if (trace.parent()) record.parent = trace.parent()->span;
  record.link = trace.link();
  record.took_ns = took.count();
  record.began_unix_ns = unix_now_ns() - record.took_ns;
  record.stages = trace.stages();
}

void write_record(trace::CallRecord& record, const Call& call, const mcp::Reply& reply,
                  const CallEnd& end) {
  write_trace(record, call.trace, end.took);
  record.context.sampled = end.sampled;
  record.frontend = call.frontend;
  record.revision = mcp::info(call.revision).name;
  record.outcome = end.outcome;
  record.failed = end.failed;
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
    const std::string& id = call.caller->id;
    record.caller_id = has_room(id) ? std::string_view(id) : recorded_id(*call.caller);
  }
  record.client = call.client_info;
  record.from = call.from;
  record.request_id = call.request.id;
  record.rule = call.rule;
  record.bytes_in = call.bytes_in;
  record.bytes_out = reply.body.size();
}

ExportedContent exported_content(const Call& call, const mcp::Reply& reply,
                                 const Tracing& tracing) {
  ExportedContent content;
  if (tracing.content == 0) return content;
  if (const auto* const arguments = call.request.param("arguments")) {
    content.arguments = policy::audited_arguments(arguments->raw, tracing.redact);
    cut(content.arguments, tracing.content);
  }
  content.result = policy::audited_arguments(reply.body, tracing.redact);
  cut(content.result, tracing.content);
  return content;
}

void complete_export(trace::CallRecord& record, const Call& call, std::string_view session,
                     ExportedContent content) {
  record.session = session;
  record.arguments = std::move(content.arguments);
  record.result = std::move(content.result);
  record.tracestate = call.trace.tracestate();
  record.received = received_at(call.trace);
  if (const auto* const sent = call.trace.target()) record.sent = *sent;
}

}  // namespace patchbay::gateway
