#include "gateway/call/trace_context.h"

#include "json/read.h"
#include "mcp/compose.h"

namespace patchbay::gateway {
namespace {

constexpr std::string_view kParentKey = "traceparent";
constexpr std::string_view kStateKey = "tracestate";
constexpr std::string_view kBaggageKey = "baggage";
constexpr std::size_t kMaxEscape = 6;  // Bytes of one character: \u0041.

// A text that is too long to be forwarded is not decoded; a placeholder that is one byte too long
// replaces it.
std::string_view context_text(std::string_view raw, std::size_t most, std::string& decoded) {
  static constexpr std::string_view kUnusable = "\n";
  if (raw.size() > kMaxEscape * most) return kUnusable;
  return json::as_text(raw, decoded).value_or(kUnusable);
}

// A well-formed one needs no escapes, so the slice between the quotes is the text.
std::string_view unquoted(std::string_view raw) {
  return raw.size() < 2 || raw.front() != '"' ? "" : raw.substr(1, raw.size() - 2);
}

}  // namespace

void begin_trace(const Call& call, const trace::Sampling& sampling, bool is_recorded) {
  trace::ReceivedContext found;
  trace::CallTrace& trace = call.trace;
  for (const auto& member : call.request.meta) {
    if (member.key == kParentKey) {
      found.traceparent = unquoted(member.raw);
    } else if (member.key == kStateKey) {
      found.tracestate =
          context_text(member.raw, trace::kMaxTracestate, trace.decoded_tracestate());
    } else if (member.key == kBaggageKey) {
      found.baggage = context_text(member.raw, trace::kMaxBaggage, trace.decoded_baggage());
    }
  }
  trace.begin(found, sampling, is_recorded);
}

std::string trace_id(const Call& call) {
  const trace::CallTrace& trace = call.trace;
  const auto known = trace.is_traced() ? std::optional(trace.context().trace) : trace.known_trace();
  return known ? trace::to_hex(*known) : std::string();
}

AskedQuestion begin_question(const Call& call, std::string_view params, std::string_view cause) {
  const bool looks = call.trace.is_traced() && cause.empty();
  const auto meta = looks ? json::member(params, "_meta") : std::nullopt;
  const auto within = meta ? json::member(*meta, kParentKey) : std::nullopt;
  const std::size_t number = call.trace.begin_question(within ? unquoted(*within) : cause);
  return {number, mcp::with_context(params, call.trace.for_client(number))};
}

}  // namespace patchbay::gateway
