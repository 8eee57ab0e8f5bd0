#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "telemetry/otlp_encode.h"

namespace patchbay::telemetry {
namespace {

using trace::CallRecord;
using trace::ExportedCall;
using trace::Stage;
using trace::StageTime;

constexpr OtlpLevels kSpanLevels{{1, "resourceSpans"}, {2, "scopeSpans"}};
constexpr OtlpField kSpans{2, "spans"};

// Of a span.
constexpr OtlpField kTraceId{1, "traceId"};
constexpr OtlpField kSpanId{2, "spanId"};
constexpr OtlpField kTraceState{3, "traceState"};
constexpr OtlpField kParentSpanId{4, "parentSpanId"};
constexpr OtlpField kSpanName{5, "name"};
constexpr OtlpField kKind{6, "kind"};
constexpr OtlpField kStart{7, "startTimeUnixNano"};
constexpr OtlpField kEnd{8, "endTimeUnixNano"};
constexpr OtlpField kSpanAttributes{9, "attributes"};
constexpr OtlpField kLinks{13, "links"};
constexpr OtlpField kStatus{15, "status"};
constexpr OtlpField kSpanFlags{16, "flags"};
constexpr OtlpField kLinkFlags{6, "flags"};
constexpr OtlpField kStatusMessage{2, "message"};
constexpr OtlpField kStatusCode{3, "code"};

constexpr unsigned kInternal = 1;
constexpr unsigned kServer = 2;
constexpr unsigned kClient = 3;
constexpr unsigned kErrorStatus = 2;

// Flags of spans and links: the sampled flag, and whether the parent is known to be remote.
constexpr std::uint32_t kParentKnown = 0x100;
constexpr std::uint32_t kParentRemote = 0x200;

// The kind of a method's target, which determines its attribute.
struct TargetName {
  std::string_view method;
  std::string_view attribute;
  bool in_span_name;  // Only names from a bounded set, none that clients invent.
};
constexpr std::array kTargets{
    TargetName{"tools/call", "gen_ai.tool.name", true},
    TargetName{"prompts/get", "gen_ai.prompt.name", true},
    TargetName{"resources/read", "mcp.resource.uri", false},
    TargetName{"resources/subscribe", "mcp.resource.uri", false},
    TargetName{"resources/unsubscribe", "mcp.resource.uri", false},
};

const TargetName* target_name(std::string_view method) {
  const auto* const found = std::ranges::find(kTargets, method, &TargetName::method);
  return found == kTargets.end() ? nullptr : found;
}

// How a frontend is reached, or an upstream of that kind.
struct Network {
  std::string_view name;
  std::string_view transport;
  std::string_view protocol;
};
constexpr std::array kFrontendNetworks{
    Network{"mcp-http", "tcp", "http"}, Network{"mcp-sse", "tcp", "http"},
    Network{"rest", "tcp", "http"},     Network{"mcp-ws", "tcp", "websocket"},
    Network{"mcp-stdio", "pipe", ""},   Network{"bus", "tcp", "kafka"},
    Network{"wire-tcp", "tcp", ""},     Network{"wire-ws", "tcp", "websocket"},
    Network{"goal", "tcp", "http"},
};
constexpr std::array kUpstreamNetworks{
    Network{"stdio", "pipe", ""},     Network{"http", "tcp", "http"},
    Network{"sse", "tcp", "http"},    Network{"custom-http-sse", "tcp", "http"},
    Network{"tcp", "tcp", ""},        Network{"unix", "unix", ""},
    Network{"wire-tcp", "tcp", ""},   Network{"ws", "tcp", "websocket"},
    Network{"kafka", "tcp", "kafka"}, Network{"openapi", "tcp", "http"},
};

// Of the spans of one call. Their memory is reused for the following calls.
struct SpanNames {
  std::string call;     // And of the request to the upstream, unless it
  std::string attempt;  // is in another protocol than MCP, whose conventions name it.
};

// The spans of one call.
template <class Writer>
class CallSpans {
 public:
  CallSpans(Writer& out, const ExportedCall& exported, SpanNames& names)
      : out_(out),
        exported_(exported),
        call_(exported.call.record()),
        target_(target_name(call_.method)),
        names_(names) {
    // The caller may have been authenticated before the call began.
    for (const auto& stage : call_.stages) first_ns_ = std::min(first_ns_, stage.began_ns);
    names_.call = call_.method;
    // A target that no upstream has is any text: it is an attribute only.
    if (target_ && target_->in_span_name && !call_.upstream.empty()) {
      names_.call += ' ';
      names_.call += call_.target;
    }
    const trace::RequestTarget& sent = exported.sent;
    if (sent.to.empty()) return;
    names_.attempt = sent.method.empty() ? "send" : sent.method;
    names_.attempt += ' ';
    names_.attempt += sent.to;
  }

  void write() {
    out_.element(kSpans, [&] { put_call(); });
    for (const auto& stage : call_.stages) {
      out_.element(kSpans, [&] { put_stage(stage); });
    }
  }

 private:
  void put_head(const trace::SpanId& span, const trace::SpanId& parent, std::string_view name,
                unsigned kind, std::int64_t began_ns, std::int64_t ended_ns) {
    out_.id(kTraceId, call_.context.trace);
    out_.id(kSpanId, span);
    if (!exported_.tracestate.empty()) out_.text(kTraceState, exported_.tracestate);
    if (parent != trace::SpanId{}) out_.id(kParentSpanId, parent);
    out_.text(kSpanName, name);
    out_.number(kKind, kind);
    out_.fixed64(kStart, static_cast<std::uint64_t>(call_.began_unix_ns + began_ns));
    out_.fixed64(kEnd, static_cast<std::uint64_t>(call_.began_unix_ns + ended_ns));
  }

  void put_tail(bool failed, bool parent_is_remote) {
    if (failed) {
      const auto status = [&] {
        // An attempt may fail in a call that does not.
        if (call_.failed && !call_.outcome.empty()) out_.text(kStatusMessage, call_.outcome);
        out_.number(kStatusCode, kErrorStatus);
      };
      out_.message(kStatus, status);
    }
    std::uint32_t flags = (call_.context.sampled ? 1U : 0U) | kParentKnown;
    if (parent_is_remote) flags |= kParentRemote;
    out_.fixed32(kSpanFlags, flags);
  }

  void put_call() {
    put_head(call_.context.span, call_.parent, names_.call, kServer, first_ns_, call_.took_ns);
    out_.list(kSpanAttributes, [&] { put_call_attributes(); });
    if (call_.link.valid()) out_.list(kLinks, [&] { put_link(); });
    put_tail(call_.failed, call_.parent != trace::SpanId{});
  }

  void put_link() {
    const auto link = [&] {
      out_.id(kTraceId, call_.link.trace);
      out_.id(kSpanId, call_.link.span);
      out_.fixed32(kLinkFlags, (call_.link.sampled ? 1U : 0U) | kParentKnown);
    };
    out_.element(kLinks, link);
  }

  void put_call_attributes() {
    put_method();
    put("mcp.protocol.version", call_.revision);
    put("jsonrpc.request.id", unquoted(call_.request_id));
    if (call_.error_code != 0) put_number("rpc.response.status_code", call_.error_code);
    if (call_.failed) put("error.type", call_.outcome);
    put("client.address", call_.from);
    put_network(kFrontendNetworks, call_.frontend);
    put_received();
    put("user.id", call_.caller_id);
    put("user.name", call_.caller);
    put("gen_ai.tool.call.arguments", exported_.arguments);
    put("gen_ai.tool.call.result", exported_.result);
    put("patchbay.frontend", call_.frontend);
    put("patchbay.client", call_.client);
    put("patchbay.session", call_.session);
    put_upstream();
    put("patchbay.rule", call_.rule);
    put("patchbay.outcome", call_.outcome);
    put_size("patchbay.request.size", call_.bytes_in);
    put_size("patchbay.response.size", call_.bytes_out);
    if (call_.dropped_stages > 0) put_size("patchbay.dropped_stages", call_.dropped_stages);
  }

  void put_method() {
    put("mcp.method.name", call_.method);
    if (target_) put(target_->attribute, call_.target);
    if (call_.method == "tools/call") put("gen_ai.operation.name", "execute_tool");
  }

  void put_upstream() {
    put("patchbay.upstream.name", call_.upstream);
    put("patchbay.upstream.kind", call_.upstream_kind);
  }

  std::string_view attempt_name() const {
    return exported_.sent.to.empty() ? names_.call : names_.attempt;
  }

  void put_stage(const StageTime& stage) {
    const bool asks = stage.stage == Stage::attempt || stage.stage == Stage::ask;
    const auto span = stage.span == trace::SpanId{} ? trace::new_span_id() : stage.span;
    const auto name = stage.stage == Stage::attempt ? attempt_name() : name_of(stage.stage);
    // A question belongs to the span that asks, the others to the call.
    const auto& parent = stage.parent == trace::SpanId{} ? call_.context.span : stage.parent;
    put_head(span, parent, name, asks ? kClient : kInternal, stage.began_ns,
             stage.began_ns + stage.took_ns);
    if (asks) out_.list(kSpanAttributes, [&] { put_request_attributes(stage); });
    put_tail(stage.failed, false);
  }

  // Of a request to the upstream, or to the client.
  void put_request_attributes(const StageTime& stage) {
    put("patchbay.stage", name_of(stage.stage));
    if (stage.failed) put_error(stage);
    if (stage.stage != Stage::attempt) return;
    put_upstream();
    put_network(kUpstreamNetworks, call_.upstream_kind);
    const trace::RequestTarget& sent = exported_.sent;
    put("server.address", sent.server);
    if (sent.port != 0) put_size("server.port", static_cast<std::uint64_t>(sent.port));
    if (sent.to.empty()) return put_method();
    if (sent.method.empty()) return put_messaging("send", sent.to, sent.conversation);
    put("http.request.method", sent.method);
    put("url.template", sent.to);
    if (stage.http_status != 0) put_size("http.response.status_code", stage.http_status);
  }

  void put_error(const StageTime& stage) {
    if (stage.http_status != 0) return put_number("error.type", stage.http_status);
    put("error.type", call_.failed ? call_.outcome : "_OTHER");
  }

  void put_messaging(std::string_view operation, std::string_view topic,
                     std::string_view conversation) {
    put("messaging.system", "kafka");
    put("messaging.operation.name", operation);
    put("messaging.operation.type", operation);
    put("messaging.destination.name", topic);
    put("messaging.message.conversation_id", conversation);
  }

  // Where the client sent it.
  void put_received() {
    const trace::RequestTarget& received = exported_.received;
    if (received.to.empty()) return;
    if (received.method.empty()) {
      return put_messaging("process", received.to, unquoted(call_.request_id));
    }
    put("http.request.method", received.method);
    put("url.path", received.to);
  }

  void put_network(std::span<const Network> networks, std::string_view name) {
    const auto network = std::ranges::find(networks, name, &Network::name);
    if (network == networks.end()) return;
    put("network.transport", network->transport);
    put("network.protocol.name", network->protocol);
  }

  [[gnu::always_inline]] void put(std::string_view key, std::string_view value) {
    if (!value.empty()) out_.attribute(kSpanAttributes, key, value);
  }
  void put_size(std::string_view key, std::uint64_t value) {
    out_.attribute(kSpanAttributes, key, static_cast<std::int64_t>(value));
  }
  // A number that the conventions define as text.
  void put_number(std::string_view key, int value) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    put(key, {digits.data(), end.ptr});
  }

  // The id of a request as text, whether it was sent as a string or as a number.
  static std::string_view unquoted(std::string_view raw) {
    if (raw.size() >= 2 && raw.starts_with('"') && raw.ends_with('"')) {
      raw = raw.substr(1, raw.size() - 2);
    }
    return raw;
  }

  Writer& out_;
  const ExportedCall& exported_;
  const CallRecord call_;
  const TargetName* const target_;
  SpanNames& names_;
  std::int64_t first_ns_ = 0;
};

template <class Writer>
void put_calls(Writer out, const Resource& resource, std::span<const ExportedCall> calls) {
  SpanNames names;
  const auto spans = [&] {
    for (const auto& call : calls) CallSpans<Writer>(out, call, names).write();
  };
  put_request(out, kSpanLevels, resource, [&] { out.list(kSpans, spans); });
}

}  // namespace

std::size_t encode_calls(Encoding encoding, const Resource& resource,
                         std::span<const ExportedCall> calls, OtlpBuffer& out) {
  if (encoding == Encoding::json) {
    put_calls(OtlpJsonWriter(out), resource, calls);
  } else {
    put_calls(ProtobufWriter(out), resource, calls);
  }
  return calls.size();
}

}  // namespace patchbay::telemetry
