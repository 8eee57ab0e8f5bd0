#include "frontends/admin/call_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "json/invisible.h"
#include "json/write.h"

namespace patchbay::frontends {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::string milliseconds_of(std::int64_t nanoseconds) {
  return fmt::format("{:.6f}", static_cast<double>(nanoseconds) / 1e6);
}

// "2026-11-15T04:00:00.123456789Z"
std::string when_text(std::int64_t unix_ns) {
  const std::int64_t seconds = unix_ns / kNanosecondsPerSecond;
  return fmt::format("\"{:%Y-%m-%dT%H:%M:%S}.{:09}Z\"", fmt::gmtime(seconds),
                     unix_ns % kNanosecondsPerSecond);
}

void add_text(json::Object& object, std::string_view name, std::string_view value) {
  if (!value.empty()) object.raw(name, json::quote(value));
}

std::string context_json(const trace::SpanContext& context) {
  return fmt::format(R"({{"trace_id":"{}","span_id":"{}"}})", trace::to_hex(context.trace),
                     trace::to_hex(context.span));
}

std::string stages_json(std::span<const trace::StageTime> stages) {
  std::string list = "[";
  for (const auto& stage : stages) {
    if (list.size() > 1) list += ',';
    json::Object object(list);
    object.raw("stage", json::quote(trace::name_of(stage.stage)));
    object.raw("began_ms", milliseconds_of(stage.began_ns));
    object.raw("took_ms", milliseconds_of(stage.took_ns));
    if (stage.failed) object.raw("failed", "true");
    if (stage.span != trace::SpanId{}) add_text(object, "span_id", trace::to_hex(stage.span));
  }
  return list + "]";
}

}  // namespace

std::string call_json(const trace::CallRecord& call) {
  std::string text;
  json::Object object(text);
  add_text(object, "trace_id", trace::to_hex(call.context.trace));
  add_text(object, "span_id", trace::to_hex(call.context.span));
  if (call.parent != trace::SpanId{}) {
    add_text(object, "parent_span_id", trace::to_hex(call.parent));
  }
  if (call.link.valid()) object.raw("link", context_json(call.link));
  object.raw("sampled", call.context.sampled ? "true" : "false");
  object.raw("began", when_text(call.began_unix_ns));
  object.raw("took_ms", milliseconds_of(call.took_ns));
  object.raw("outcome", json::quote(call.outcome));
  object.raw("failed", call.failed ? "true" : "false");
  if (call.error_code != 0) object.raw("error_code", fmt::format_int(call.error_code).c_str());
  object.raw("method", json::quote(call.method));
  add_text(object, "target", call.target);
  add_text(object, "tool", call.tool);
  add_text(object, "upstream", call.upstream);
  add_text(object, "upstream_kind", call.upstream_kind);
  add_text(object, "caller", call.caller);
  add_text(object, "caller_id", call.caller_id);
  add_text(object, "client", call.client);
  add_text(object, "from", call.from);
  add_text(object, "session", call.session);
  add_text(object, "request_id", call.request_id);
  add_text(object, "frontend", call.frontend);
  add_text(object, "revision", call.revision);
  add_text(object, "rule", call.rule);
  object.raw("bytes_in", fmt::format_int(call.bytes_in).c_str());
  object.raw("bytes_out", fmt::format_int(call.bytes_out).c_str());
  object.raw("stages", stages_json(call.stages));
  if (call.dropped_stages > 0) {
    object.raw("stages_dropped", fmt::format_int(call.dropped_stages).c_str());
  }
  object.end();
  json::escape_invisible(text);
  return text;
}

}  // namespace patchbay::frontends
