#include "mcp/reply.h"

#include <fmt/format.h>

#include "json/read.h"

namespace patchbay::mcp {
namespace {

ResultType type_of(std::string_view raw) {
  if (raw.empty()) return ResultType::none;
  if (raw == "\"complete\"") return ResultType::complete;
  if (raw == "\"input_required\"") return ResultType::input_required;
  if (raw == "\"task\"") return ResultType::task;
  return ResultType::other;
}

// The reply without its body.
Reply described(const Message& message) {
  Reply reply;
  reply.is_error = message.result.empty();
  if (reply.is_error) return reply;
  reply.type = type_of(message.result_type);
  reply.has_hints = message.result_has_hints;
  reply.is_loose = message.result_is_loose;
  reply.has_failed = message.result_failed;
  if (!message.result_meta.empty()) {
    reply.meta_at = static_cast<std::size_t>(message.result_meta.data() - message.result.data());
    reply.meta_size = message.result_meta.size();
  }
  return reply;
}

std::string_view body_of(const Message& message) {
  return message.result.empty() ? message.error : message.result;
}

}  // namespace

Reply result_reply(std::string body) {
  Reply reply;
  reply.body = std::move(body);
  return reply;
}

Reply error_reply(const Error& error) {
  Reply reply;
  reply.body = error_object(error);
  reply.is_error = true;
  reply.why = error.code;
  return reply;
}

Reply scanned_reply(std::string body) {
  Reply reply = result_reply(std::move(body));
  json::each_member(reply.body, [&](std::string_view key, std::string_view raw) {
    if (key == "resultType") reply.type = type_of(raw);
    reply.has_hints |= key == "ttlMs" || key == "cacheScope";
    reply.is_loose |= key == "structuredContent" && !raw.starts_with('{');
    reply.has_failed |= key == "isError" && raw == "true";
    if (key != "_meta") return;
    reply.meta_at = static_cast<std::size_t>(raw.data() - reply.body.data());
    reply.meta_size = raw.size();
  });
  return reply;
}

Reply reply_of(const Message& message) {
  Reply reply = described(message);
  reply.body = body_of(message);
  return reply;
}

Reply reply_of(const Message& message, std::string& text) {
  Reply reply = described(message);
  const std::string_view body = body_of(message);
  const auto begin = static_cast<std::size_t>(body.data() - text.data());
  text.resize(begin + body.size());
  text.erase(0, begin);
  reply.body = std::move(text);
  return reply;
}

std::string response_head(std::string_view id, bool is_error, std::size_t body) {
  std::string head;
  head.reserve(48 + id.size() + body);
  head += "{\"jsonrpc\":\"2.0\",\"id\":";
  head += id.empty() ? "null" : id;
  head += is_error ? ",\"error\":" : ",\"result\":";
  return head;
}

std::string response(std::string_view id, const Reply& reply) {
  std::string text = response_head(id, reply.is_error, reply.body.size());
  text += reply.body;
  text += '}';
  return text;
}

std::string response_without_id(const Reply& reply) {
  return fmt::format("{{\"jsonrpc\":\"2.0\",\"error\":{}}}", reply.body);
}

std::string error_object(const Error& error) {
  const auto& code = info(error.code);
  std::string text = fmt::format("{{\"code\":{},\"message\":", code.rpc);
  json::append_quoted(text, error.message);
  if (error.data.empty()) {
    fmt::format_to(std::back_inserter(text), ",\"data\":{{\"reason\":\"{}\"}}}}", code.name);
  } else {
    fmt::format_to(std::back_inserter(text), ",\"data\":{}}}", error.data);
  }
  return text;
}

void add_to_result(Reply& reply, std::string members) {
  if (reply.is_error || !reply.body.starts_with('{')) return;
  const bool empty = reply.body[reply.body.find_first_not_of(" \t\r\n", 1)] == '}';
  if (!empty) members += ',';
  reply.body.insert(1, members);
  if (reply.meta_size > 0) reply.meta_at += members.size();
}

}  // namespace patchbay::mcp
