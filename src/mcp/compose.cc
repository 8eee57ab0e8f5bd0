#include "mcp/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/version.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::mcp {
namespace {

using json::Object;

constexpr std::size_t kOurParams =
    512;  // Upper bound of the bytes that we add to those of a client.

// Parameters that not every revision has. Without a method: of any.
struct ParamSpan {
  std::string_view method;
  std::string_view key;
  Revision since;
  Revision until;
};
constexpr std::array kParamSpans{
    ParamSpan{"completion/complete", "context", Revision::v2025_06_18, kNewest},
    ParamSpan{"", "inputResponses", Revision::v2026_07_28, kNewest},
    ParamSpan{"", "requestState", Revision::v2026_07_28, kNewest},
};

bool has_param(Revision revision, std::string_view method, std::string_view key) {
  return std::ranges::none_of(kParamSpans, [&](const ParamSpan& span) {
    return span.key == key && (span.method.empty() || span.method == method) &&
           (revision < span.since || revision > span.until);
  });
}

// The target by the upstream's own name: a name, or a reference that contains it.
void append_target(std::string& text, std::string_view raw, std::string_view target, Revision to) {
  if (!raw.starts_with('{')) {
    json::append_quoted(text, target);
    return;
  }
  Object reference(text);
  json::each_member(raw, [&](std::string_view key, std::string_view value) {
    if (key == "title" && to < Revision::v2025_06_18) return;
    reference.key(key);
    if (key == "name" || key == "uri") {
      json::append_quoted(text, target);
    } else {
      text += value;
    }
  });
}

// `further`: about so many bytes will follow.
std::string request_head(std::string_view id, std::string_view method, std::size_t further) {
  std::string text;
  text.reserve(64 + method.size() + further);
  text += "{\"jsonrpc\":\"2.0\",\"id\":";
  text += id;
  text += ",\"method\":";
  json::append_quoted(text, method);
  text += ",\"params\":";
  return text;
}

// Whether a parameter of a client's request is forwarded to the upstream.
bool goes_on(const Message& from, std::string_view key, const Forwarding& how) {
  const bool rewritten = key == "inputResponses" || key == "requestState";
  if (key == "task") return false;  // Written again if needed.
  return has_param(how.to, from.method, key) && (!rewritten || how.answers.empty());
}

// The envelope of every stateless request.
void add_envelope(Object& meta, const Message& from, const Forwarding& how) {
  meta.raw(kMetaVersion, fmt::format("\"{}\"", info(how.to).name));
  meta.raw(kMetaCapabilities, how.capabilities);
  const auto* const client = from.meta_member(kMetaClientInfo);
  meta.raw(kMetaClientInfo, client ? client->raw : std::string_view(client_info()));
  if (const auto* const level = from.meta_member(kMetaLogLevel)) {
    meta.raw(kMetaLogLevel, level->raw);
  } else if (!how.log_level.empty()) {
    meta.raw(kMetaLogLevel, fmt::format("\"{}\"", how.log_level));
  }
}

constexpr std::string_view kProgressToken = "progressToken";
constexpr std::string_view kTraceparent = "traceparent";
constexpr std::string_view kTracestate = "tracestate";
constexpr std::string_view kBaggage = "baggage";

void add_context(Object& meta, std::string& text, const trace::SentContext& context) {
  const auto add = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    meta.key(key);
    json::append_quoted(text, value);
  };
  add(kTraceparent, context.traceparent());
  add(kTracestate, context.tracestate());
  add(kBaggage, context.baggage());
}

}  // namespace

bool is_context_key(std::string_view key) {
  return key == kTraceparent || key == kTracestate || key == kBaggage;
}

const std::string& client_info() {
  static const std::string info =
      fmt::format(R"({{"name":"patchbay","title":"Patchbay","version":"{}"}})", kVersion);
  return info;
}

std::string request(std::uint64_t id, std::string_view method, std::string_view params) {
  std::string text = request_head(fmt::format_int(id).c_str(), method, params.size());
  text += params;
  text += '}';
  return text;
}

std::string request(std::string_view id, std::string_view method, std::string_view params) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"id\":";
  text += id;
  text += ",\"method\":";
  json::append_quoted(text, method);
  if (!params.empty()) {
    text += ",\"params\":";
    text += params;
  }
  text += '}';
  return text;
}

std::string to_text(const Message& from) {
  std::string params;
  {
    Object object(params);
    for (const auto& member : from.params) object.raw(member.key, member.raw);
    if (from.has_meta) {
      object.key("_meta");
      Object meta(params);
      for (const auto& member : from.meta) meta.raw(member.key, member.raw);
    }
  }
  return request(from.id, from.method, params);
}

std::string forward(const Message& from, const Forwarding& how) {
  std::string text = request_head(how.id, from.method, from.raw_params.size() + kOurParams);
  {
    Object params(text);
    for (const auto& member : from.params) {
      if (!goes_on(from, member.key, how)) continue;
      if (member.key == how.target_key) {
        params.key(member.key);
        append_target(text, member.raw, how.target, how.to);
      } else {
        params.raw(member.key, member.raw);
      }
    }
    if (!how.task.empty()) params.raw("task", how.task);
    params.members(how.answers);
    const bool stateless = info(how.to).stateless;
    const auto is_forwarded = [&how](std::string_view key) {
      return !key.starts_with(kMetaPrefix) && !(how.context && is_context_key(key));
    };
    bool any_meta = stateless || how.progress || (how.context && !how.context->empty());
    for (const auto& member : from.meta) any_meta |= is_forwarded(member.key);
    if (any_meta) {
      params.key("_meta");
      Object meta(text);
      if (stateless) add_envelope(meta, from, how);
      if (how.progress && !from.meta_member(kProgressToken)) meta.raw(kProgressToken, how.id);
      for (const auto& member : from.meta) {
        if (member.key == kProgressToken) {
          meta.raw(member.key, how.id);
        } else if (is_forwarded(member.key)) {
          meta.raw(member.key, member.raw);
        }
      }
      if (how.context) add_context(meta, text, *how.context);
    }
  }
  text += '}';
  return text;
}

std::string with_envelope(std::string_view params, Revision revision,
                          std::string_view capabilities) {
  std::string text;
  {
    Object object(text);
    json::each_member(
        params, [&](std::string_view key, std::string_view value) { object.raw(key, value); });
    object.key("_meta");
    Object meta(text);
    add_envelope(meta, Message(), {.to = revision, .capabilities = capabilities});
  }
  return text;
}

std::string with_context(std::string_view params, const trace::SentContext& context) {
  if (context.empty()) return std::string(params);
  std::string text;
  {
    Object object(text);
    std::string_view old;
    json::each_member(params, [&](std::string_view key, std::string_view raw) {
      if (key == "_meta") {
        old = raw;
      } else {
        object.raw(key, raw);
      }
    });
    object.key("_meta");
    Object meta(text);
    json::each_member(old, [&](std::string_view key, std::string_view raw) {
      if (!is_context_key(key)) meta.raw(key, raw);
    });
    add_context(meta, text, context);
  }
  return text;
}

std::string notification(std::string_view method, std::string_view params) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"method\":";
  json::append_quoted(text, method);
  if (!params.empty()) {
    text += ",\"params\":";
    text += params;
  }
  text += '}';
  return text;
}

std::string cancelled(std::string_view id, std::string_view reason) {
  std::string params = fmt::format("{{\"requestId\":{},\"reason\":", id);
  json::append_quoted(params, reason);
  params += '}';
  return notification("notifications/cancelled", params);
}

std::string with_token(std::string_view params, std::string_view token) {
  std::string text;
  {
    Object object(text);
    json::each_member(params, [&](std::string_view key, std::string_view raw) {
      object.raw(key, key == kProgressToken ? token : raw);
    });
  }
  return text;
}

void make_stateless(Reply& reply, std::string_view server_info) {
  if (reply.is_error || !reply.body.starts_with('{')) return;
  constexpr std::string_view kComplete = "\"resultType\":\"complete\"";
  constexpr std::string_view kMeta = ",\"_meta\":{}";
  std::string front;
  front.reserve(kComplete.size() + kMeta.size() + kMetaServerInfo.size() + server_info.size() + 4);
  if (reply.type == ResultType::none) {
    reply.type = ResultType::complete;
    front += kComplete;
  }
  const auto meta = std::string_view(reply.body).substr(reply.meta_at, reply.meta_size);
  if (meta.empty()) {
    json::append_key(front, "_meta", !front.empty());
    json::append_key(front += '{', kMetaServerInfo, false);
    front += server_info;
    front += '}';
  } else if (meta.starts_with('{') && meta.find(kMetaServerInfo) == std::string_view::npos) {
    const bool empty = meta.find_first_not_of(" \t", 1) == meta.size() - 1;
    std::string info;
    json::append_key(info, kMetaServerInfo, false);
    info += server_info;
    reply.body.insert(reply.meta_at + 1, empty ? info : info + ",");
  }
  if (!front.empty()) add_to_result(reply, std::move(front));
}

}  // namespace patchbay::mcp
