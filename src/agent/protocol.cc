#include "agent/protocol.h"

#include <fmt/format.h>

#include <charconv>

#include "agent/settings.h"
#include "core/text.h"
#include "json/read.h"

namespace patchbay::agent {
namespace {

Error invalid(std::string_view why) {
  return {Code::invalid_request, fmt::format("invalid request: {}", why)};
}

Error unreadable(const json::Cursor& at) {
  return {Code::parse_error, fmt::format("parse error: {}", at.error().message)};
}

// The raw members of a request that are used; empty where absent.
struct Members {
  std::string_view jsonrpc;
  std::string_view id;
  std::string_view method;
  std::string_view params;
  bool twice = false;

  std::string_view* find(std::string_view key) {
    if (key == "jsonrpc") return &jsonrpc;
    if (key == "id") return &id;
    if (key == "method") return &method;
    return key == "params" ? &params : nullptr;
  }
};

Result<Members> read_members(std::string_view line) {
  json::Cursor at(line);
  if (at.peek() != json::Type::object) {
    if (!at.skip() || !at.finish()) return unreadable(at);
    return invalid("an object is expected");
  }
  at.enter_object();
  Members members;
  std::string_view key;
  std::string_view value;
  while (at.next_member(key)) {
    std::string_view* const slot = members.find(key);
    if (!at.value(value)) break;
    if (!slot) continue;
    if (!slot->empty()) members.twice = true;
    *slot = value;
  }
  if (!at.finish()) return unreadable(at);
  return members;
}

}  // namespace

std::optional<std::uint64_t> as_u64(std::string_view raw) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (fault != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

Result<Request> parse_request(std::string_view line, std::optional<std::uint64_t>& id) {
  auto members = read_members(line);
  if (!members) return members.error();
  id = as_u64(members->id);
  if (members->twice) return invalid("a member is there twice");
  if (members->jsonrpc.empty()) return invalid("missing field `jsonrpc`");
  if (json::as_string(members->jsonrpc) != "2.0") return invalid("`jsonrpc` must be \"2.0\"");
  if (members->id.empty()) return invalid("missing field `id`");
  if (!id) return invalid("`id` must be a whole number from 0 to 18446744073709551615");
  if (members->method.empty()) return invalid("missing field `method`");
  auto method = json::as_string(members->method);
  if (!method) return invalid("`method` must be a string");
  return Request{*id, *std::move(method), std::string(members->params)};
}

std::string success(std::uint64_t id, std::string result) {
  result.insert(0, fmt::format("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":", id));
  result += "}\n";
  return result;
}

std::string failure(std::string_view id, const Error& error) {
  std::string line =
      fmt::format("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{},\"message\":", id,
                  info(error.code).rpc);
  json::append_quoted(line, error.message);
  if (!error.data.empty()) line += ",\"data\":" + error.data;
  line += "}}\n";
  return line;
}

std::string notification(std::string_view method, std::string_view params) {
  return fmt::format("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\",\"params\":{}}}\n", method, params);
}

std::optional<unsigned> connect_port(std::string_view line) {
  constexpr std::string_view kKeyword = "CONNECT";
  if (!line.starts_with(kKeyword)) return std::nullopt;
  const auto rest = line.substr(kKeyword.size());
  if (!rest.empty() && !is_space(rest.front())) return std::nullopt;
  const auto digits = trimmed(rest);
  unsigned port = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool good = fault == std::errc() && end == digits.data() + digits.size();
  return good ? port : kUsualPort;
}

}  // namespace patchbay::agent
