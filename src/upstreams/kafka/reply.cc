#include "upstreams/kafka/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base64.h"
#include "core/http_token.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::upstreams {
namespace {

using Kind = AgentReply::Kind;

struct Status {
  std::string_view name;
  Kind kind;
};

constexpr std::array kStatuses{
    Status{"COMPLETED", Kind::completed}, Status{"FAILED", Kind::failed},
    Status{"ERROR", Kind::failed},        Status{"INPUT_REQUIRED", Kind::asks},
    Status{"WORKING", Kind::going},       Status{"RUNNING", Kind::going},
    Status{"IN_PROGRESS", Kind::going},   Status{"PROCESSING", Kind::going},
    Status{"STREAMING", Kind::going},     Status{"SUBMITTED", Kind::going},
    Status{"CANCELLED", Kind::failed},    Status{"CANCELED", Kind::failed},
    Status{"REJECTED", Kind::failed},     Status{"TIMEOUT", Kind::failed},
};

constexpr std::size_t kMostMessage = 64 << 10;
// Bytes of a result besides its content, and of the server information that is added later.
constexpr std::size_t kAround = 384;

// The message of the envelope.
std::string text_in(std::string_view value) {
  for (const std::string_view key : {"message", "exception", "error"}) {
    const auto raw = json::member(value, key);
    if (!raw || *raw == "null") continue;
    if (auto text = json::as_string(*raw)) {
      if (!text->empty()) return json::shortened(*text, kMostMessage);
    } else {
      return json::shortened(*raw, kMostMessage);
    }
  }
  return {};
}

// A result with one text, and the optional raw `structured`, unless it is empty. It is written once
// at its full size.
mcp::Reply result_of(std::string_view text, std::string_view structured, bool failed,
                     std::string_view id) {
  std::string body;
  body.reserve(text.size() + text.size() / 8 + structured.size() + kAround);
  body = R"({"content":[{"type":"text","text":)";
  json::append_quoted(body, text);
  body += "}]";
  if (failed) body += R"(,"isError":true)";
  if (!structured.empty()) body.append(R"(,"structuredContent":)").append(structured);
  std::size_t meta_at = 0;
  std::size_t meta_size = 0;
  if (!id.empty()) {
    body += R"(,"_meta":)";
    meta_at = body.size();
    body += R"({"patchbay/correlationId":)";
    json::append_quoted(body, id);
    body += '}';
    meta_size = body.size() - meta_at;
  }
  body += '}';
  mcp::Reply reply = mcp::result_reply(std::move(body));
  reply.has_failed = failed;
  reply.meta_at = meta_at;
  reply.meta_size = meta_size;
  return reply;
}

// The progress of an agent that has not finished.
std::string text_of(std::string_view raw) {
  auto text = json::as_string(raw);
  return text ? *std::move(text) : std::string(raw);
}

}  // namespace

AgentReply read_agent_reply(std::string_view value) {
  const auto status = json::string_member(value, "status");
  if (!status) return {Kind::completed, value};
  const auto payload = json::member(value, "payload");
  const bool enveloped = payload || json::member(value, "requestIndex");
  // In an envelope it can only be a status, whatever its spelling.
  const auto* const known = std::ranges::find_if(kStatuses, [&](const Status& one) {
    return enveloped ? same_token(one.name, *status) : one.name == *status;
  });
  // An unknown status is a member of the result like any other.
  if (known == kStatuses.end() && !enveloped) return {Kind::completed, value};
  AgentReply reply{known == kStatuses.end() ? Kind::going : known->kind, value, text_in(value)};
  if (payload) reply.result = *payload;
  if (!payload && enveloped) reply.result = "null";
  return reply;
}

mcp::Reply agent_result(const AgentReply& reply, std::string_view id, bool is_mcp) {
  if (reply.kind == Kind::failed) {
    const std::string_view text = reply.message.empty()
                                      ? std::string_view("the agent failed without a message")
                                      : reply.message;
    return result_of(text, "", true, id);
  }
  const auto type = json::type_of(reply.result);
  if (is_mcp && type == json::Type::object) return mcp::scanned_reply(std::string(reply.result));
  const auto decoded = json::as_string(reply.result);
  const std::string_view text = type == json::Type::null ? reply.message
                                : decoded                ? *decoded
                                                         : reply.result;
  return result_of(text, type == json::Type::object ? reply.result : "", false, id);
}

mcp::Reply agent_failure(std::string_view message, std::string_view id, Code why) {
  mcp::Reply reply = result_of(message, "", true, id);
  reply.why = why;
  return reply;
}

std::string progress_params(const AgentReply& reply, std::string_view token, int number) {
  std::string params;
  json::Object object(params);
  object.raw("progressToken", token);
  object.raw("progress", std::to_string(number));
  const bool nothing = json::type_of(reply.result) == json::Type::null;
  const std::string message = !reply.message.empty() ? reply.message
                              : nothing              ? ""
                                                     : text_of(reply.result);
  if (!message.empty()) object.raw("message", json::quote(message));
  // Content that is not text.
  const bool more = !reply.message.empty() && !nothing && !json::member(reply.result, "status");
  if (more) object.raw("_meta", fmt::format(R"({{"patchbay/payload":{}}})", reply.result));
  object.end();
  return params;
}

std::string question_params(const AgentReply& reply) {
  // The agent may describe the form that it needs; most ask in a sentence.
  std::string_view schema;
  for (const std::string_view key : {"requestedSchema", "schema"}) {
    const auto given = json::member(reply.result, key);
    if (given && json::string_member(*given, "type") == "object") schema = *given;
  }
  std::string params;
  json::Object object(params);
  object.raw("message",
             json::quote(reply.message.empty() ? "The agent asks for more input." : reply.message));
  object.raw("requestedSchema",
             !schema.empty() ? schema
                             : R"({"type":"object","properties":{"input":{"type":"string"}},)"
                               R"("required":["input"]})");
  object.end();
  return params;
}

Error bad_reply(std::string_view what) {
  return {Code::upstream_failed, fmt::format("the reply of the agent {}", what)};
}

Result<mcp::Reply> resource_result(std::string_view value, std::string_view uri,
                                   std::string_view mime_type, bool keeps_null) {
  if (json::type_of(value) != json::Type::object) return bad_reply("is not an object");
  // A leading slash is ignored, as in registrations.
  const auto path = [](std::string_view of) {
    return of.substr(std::min(of.find_first_not_of('/'), of.size()));
  };
  const auto given = json::string_member(value, "uri");
  if (given && path(*given) != path(uri)) return bad_reply("is about another resource");
  const auto text = json::member(value, "text");
  const auto blob = json::member(value, "blob");
  const auto type = json::string_member(value, "type");
  const bool is_blob = type ? *type == "blob" : !text && blob;
  if (type && *type != "text" && *type != "blob") return bad_reply("is neither text nor blob");
  const std::string_view content = (is_blob ? blob : text).value_or("null");
  const auto decoded = json::as_string(content);
  if (content != "null" && !decoded) return bad_reply("has content that is not a string");
  if (is_blob && decoded && !base64_decode(*decoded))
    return bad_reply("has a blob that is not base64");
  std::string body = R"({"contents":[)";
  json::Object object(body);
  object.raw("uri", json::quote(uri));
  const auto mime = json::string_member(value, "mimeType").value_or(std::string(mime_type));
  object.raw("mimeType", json::quote(mime.empty() ? mime_type : mime));
  const bool null = content == "null" && !keeps_null;
  object.raw(is_blob ? "blob" : "text", null ? "\"\"" : content);
  object.end();
  body += "]}";
  return mcp::scanned_reply(std::move(body));
}

}  // namespace patchbay::upstreams
