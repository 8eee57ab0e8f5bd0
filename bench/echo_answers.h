// The answers of a minimal MCP server, so that the measured cost is the gateway's. Shared by the
// one on stdio and the one on HTTP.
//
// Tools: `echo` answers 200 bytes of text, `big` 1,000,000, `payload {bytes}` as many as asked for.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace patchbay::bench {

inline constexpr std::string_view kTools =
    R"("tools":[)"
    R"({"name":"echo","description":"Answers 200 bytes of text.","inputSchema":{"type":"object"}},)"
    R"({"name":"big","description":"Answers 1,000,000 bytes.","inputSchema":{"type":"object"}},)"
    R"({"name":"payload","description":"Answers as many bytes of text as asked for.",)"
    R"("inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"}}}}])";

// A raw value of a JSON object's member, without parsing its contents. The gateway has checked the
// line already, so strings and nested values only need to be skipped correctly.
class Members {
 public:
  explicit Members(std::string_view object) : text_(object) {}

  // The value of `key`, as written, or nothing. Only at this level.
  std::string_view find(std::string_view key) const {
    std::size_t at = past_blanks(1);
    while (at < text_.size()) {
      auto name_end = past_value(at);
      auto name = text_.substr(at, name_end - at);
      auto value_at = past_blanks(past_blanks(name_end) + 1);  // Past the colon.
      auto value_end = past_value(value_at);
      if (name.size() == key.size() + 2 && name.substr(1, key.size()) == key) {
        return text_.substr(value_at, value_end - value_at);
      }
      at = past_blanks(value_end);
      if (at >= text_.size() || text_[at] != ',') return {};
      at = past_blanks(at + 1);
    }
    return {};
  }

 private:
  std::size_t past_blanks(std::size_t at) const {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    return at;
  }

  std::size_t past_string(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      if (text_[at] == '\\') {
        ++at;
      } else if (text_[at] == '"') {
        return at + 1;
      }
    }
    return at;
  }

  std::size_t past_value(std::size_t at) const {
    if (at < text_.size() && text_[at] == '"') return past_string(at);
    std::size_t depth = 0;
    while (at < text_.size()) {
      char c = text_[at];
      if (c == '"') {
        at = past_string(at);
        continue;
      }
      bool closes = c == '}' || c == ']';
      if (depth == 0 && (closes || c == ',' || c == ':' || c == ' ')) return at;
      if (c == '{' || c == '[') ++depth;
      if (closes && --depth == 0) return at + 1;
      ++at;
    }
    return at;
  }

  std::string_view text_;
};

inline std::string_view unquoted(std::string_view value) {
  return value.size() >= 2 ? value.substr(1, value.size() - 2) : std::string_view{};
}

class EchoAnswers {
 public:
  // A stateless server supports 2026-07-28 only; the other one the session-based revisions.
  explicit EchoAnswers(bool stateless = false) : stateless_(stateless) {}

  // Appends the answer to one message; nothing to a notification.
  void answer(std::string_view text, std::string& out) {
    Members message(text);
    auto id = message.find("id");
    auto method = unquoted(message.find("method"));
    if (id.empty() || method.empty()) return;
    out += R"({"jsonrpc":"2.0","id":)";
    out += id;
    if (method == "tools/call") {
      call(Members(message.find("params")), out);
    } else if (method == "tools/list") {
      begin_result(out);
      out += kTools;
      out += stateless_ ? R"(,"ttlMs":0,"cacheScope":"private"})" : "}";
    } else if (stateless_ && method == "server/discover") {
      begin_result(out);
      out += R"("supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,)"
             R"("cacheScope":"private"})";
    } else if (!stateless_ && method == "initialize") {
      begin_result(out);
      out += R"("protocolVersion":)";
      out += Members(message.find("params")).find("protocolVersion");
      out += R"(,"capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}})";
    } else if (!stateless_ && method == "ping") {
      out += R"(,"result":{})";
    } else {
      out += R"(,"error":{"code":-32601,"message":"Method not found"})";
    }
    out += '}';
  }

 private:
  void begin_result(std::string& out) {
    out += stateless_ ? R"(,"result":{"resultType":"complete",)" : R"(,"result":{)";
  }

  void call(Members params, std::string& out) {
    auto tool = unquoted(params.find("name"));
    if (tool == "echo") {
      text_result(echo_, out);
    } else if (tool == "big") {
      text_result(big_, out);
    } else if (tool == "payload") {
      std::size_t bytes = 0;
      auto asked = Members(params.find("arguments")).find("bytes");
      std::from_chars(asked.data(), asked.data() + asked.size(), bytes);
      if (payload_.size() != bytes) payload_.assign(bytes, 'p');
      text_result(payload_, out);
    } else {
      out += R"(,"error":{"code":-32602,"message":"Unknown tool"})";
    }
  }

  void text_result(std::string_view text, std::string& out) {
    begin_result(out);
    out += R"("content":[{"type":"text","text":")";
    out += text;
    out += R"("}]})";
  }

  const bool stateless_;
  std::string echo_ = std::string(200, 'e');
  std::string big_ = std::string(1'000'000, 'b');
  std::string payload_;
};

}  // namespace patchbay::bench
