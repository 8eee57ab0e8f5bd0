#include "mcp/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "json/write.h"

namespace patchbay::mcp {
namespace {

using json::Object;

// Parameters that not every revision knows. Without a method, of any.
struct ParamSpan {
  std::string_view method;
  std::string_view key;
  Revision since;
  Revision until;
};
constexpr std::array kParamSpans{
    ParamSpan{"completion/complete", "context", Revision::v2025_06_18, kNewest},
    ParamSpan{"", "task", Revision::v2025_11_25, Revision::v2025_11_25},
    ParamSpan{"", "inputResponses", Revision::v2026_07_28, kNewest},
    ParamSpan{"", "requestState", Revision::v2026_07_28, kNewest},
};

bool has_param(Revision revision, std::string_view method, std::string_view key) {
  return std::ranges::none_of(kParamSpans, [&](const ParamSpan& span) {
    return span.key == key && (span.method.empty() || span.method == method) &&
           (revision < span.since || revision > span.until);
  });
}

// The target in the upstream's words: a name, or a reference with the name inside it.
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

std::string request_head(std::uint64_t id, std::string_view method) {
  std::string text = "{\"jsonrpc\":\"2.0\",\"id\":";
  text += fmt::format_int(id).c_str();
  text += ",\"method\":";
  json::append_quoted(text, method);
  text += ",\"params\":";
  return text;
}

}  // namespace

std::string request(std::uint64_t id, std::string_view method, std::string_view params) {
  std::string text = request_head(id, method);
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

std::string forward(const Message& from, std::uint64_t id, std::string_view target_key,
                    std::string_view target, Revision to, std::string_view envelope) {
  std::string text = request_head(id, from.method);
  {
    Object params(text);
    for (const auto& member : from.params) {
      if (member.key == target_key) {
        params.key(member.key);
        append_target(text, member.raw, target, to);
      } else if (has_param(to, from.method, member.key)) {
        params.raw(member.key, member.raw);
      }
    }
    bool any_meta = !envelope.empty();
    for (const auto& member : from.meta) any_meta |= !member.key.starts_with(kMetaPrefix);
    if (any_meta) {
      params.key("_meta");
      Object meta(text);
      meta.members(envelope);
      for (const auto& member : from.meta) {
        if (member.key == "progressToken") {
          meta.raw(member.key, fmt::format_int(id).c_str());
        } else if (!member.key.starts_with(kMetaPrefix)) {
          meta.raw(member.key, member.raw);
        }
      }
    }
  }
  text += '}';
  return text;
}

std::string envelope(std::string_view capabilities, std::string_view client_info,
                     std::string_view log_level) {
  std::string members = fmt::format("\"{}\":\"{}\",\"{}\":{}", kMetaVersion, info(kNewest).name,
                                    kMetaCapabilities, capabilities);
  const auto out = std::back_inserter(members);
  if (!client_info.empty()) fmt::format_to(out, ",\"{}\":{}", kMetaClientInfo, client_info);
  if (!log_level.empty()) fmt::format_to(out, ",\"{}\":\"{}\"", kMetaLogLevel, log_level);
  return members;
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

std::string cancelled(std::uint64_t id, std::string_view reason) {
  std::string params = fmt::format("{{\"requestId\":{},\"reason\":", id);
  json::append_quoted(params, reason);
  params += '}';
  return notification("notifications/cancelled", params);
}

std::string with_token(const Message& progress, std::string_view token) {
  std::string text;
  {
    Object params(text);
    for (const auto& member : progress.params) {
      params.raw(member.key, member.key == "progressToken" ? token : member.raw);
    }
  }
  return text;
}

void make_modern_error(Reply& reply, std::string_view uri) {
  if (json::member(reply.body, "code") != "-32002") return;
  const auto message = json::string_member(reply.body, "message").value_or("not found");
  reply.body =
      error_object({Code::not_found, message, fmt::format("{{\"uri\":{}}}", json::quote(uri))});
}

void make_modern(Reply& reply, std::string_view server_info) {
  if (reply.is_error || !reply.body.starts_with('{')) return;
  const std::string info = fmt::format("\"{}\":{}", kMetaServerInfo, server_info);
  std::string front = reply.has_type ? "" : "\"resultType\":\"complete\"";
  if (reply.meta_size == 0) {
    if (!front.empty()) front += ',';
    front += fmt::format("\"_meta\":{{{}}}", info);
  } else if (const auto meta = std::string_view(reply.body).substr(reply.meta_at, reply.meta_size);
             meta.starts_with('{') && meta.find(kMetaServerInfo) == std::string_view::npos) {
    const bool empty = meta.find_first_not_of(" \t", 1) == meta.size() - 1;
    reply.body.insert(reply.meta_at + 1, empty ? info : info + ",");
  }
  reply.has_type = true;
  if (!front.empty()) add_to_result(reply, front);
}

}  // namespace patchbay::mcp
