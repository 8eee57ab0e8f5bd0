// stdio_echo: an MCP server on stdin and stdout that costs as little as one can, so that what is
// measured in front of it is the gateway. Many lines per read, many answers per write.
//
// Tools: `echo` answers 200 bytes of text, `big` 1,000,000, `payload {bytes}` as many as asked for.
// One thread; it waits in read() and in write() and nowhere else.

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::bench {
namespace {

constexpr std::string_view kTools =
    R"({"tools":[)"
    R"({"name":"echo","description":"Answers 200 bytes of text.","inputSchema":{"type":"object"}},)"
    R"({"name":"big","description":"Answers 1,000,000 bytes.","inputSchema":{"type":"object"}},)"
    R"({"name":"payload","description":"Answers as many bytes of text as asked for.",)"
    R"("inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"}}}}]})";

// A raw value of a JSON object's member, without reading what is inside it. The gateway has checked
// the line already; all that is needed here is to skip strings and nested values rightly.
class Members {
 public:
  explicit Members(std::string_view object) : text_(object) {}

  // The value of `key`, as written, or nothing. Looks at this level only.
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

std::string_view unquoted(std::string_view value) {
  return value.size() >= 2 ? value.substr(1, value.size() - 2) : std::string_view{};
}

class Output {
 public:
  ~Output() { flush(); }

  Output& operator<<(std::string_view text) {
    if (pending_.size() + text.size() > kMost) flush();
    if (text.size() > kMost) {
      write_all(text);
    } else {
      pending_ += text;
    }
    return *this;
  }

  void flush() {
    write_all(pending_);
    pending_.clear();
  }

 private:
  static constexpr std::size_t kMost = 128 * 1024;

  static void write_all(std::string_view text) {
    while (!text.empty()) {
      ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
      if (count < 0 && errno != EINTR) _exit(0);  // The gateway is gone.
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  std::string pending_;
};

class EchoServer {
 public:
  void handle(std::string_view line, Output& out) {
    Members message(line);
    auto id = message.find("id");
    auto method = unquoted(message.find("method"));
    if (id.empty() || method.empty()) return;  // A notification.
    out << R"({"jsonrpc":"2.0","id":)" << id;
    if (method == "tools/call") {
      call(Members(message.find("params")), out);
    } else if (method == "initialize") {
      initialize(Members(message.find("params")), out);
    } else if (method == "tools/list") {
      out << R"(,"result":)" << kTools;
    } else if (method == "ping") {
      out << R"(,"result":{})";
    } else {
      out << R"(,"error":{"code":-32601,"message":"Method not found"})";
    }
    out << "}\n";
  }

 private:
  void initialize(Members params, Output& out) {
    out << R"(,"result":{"protocolVersion":)" << params.find("protocolVersion")
        << R"(,"capabilities":{"tools":{}},"serverInfo":{"name":"stdio_echo","version":"1"}})";
  }

  void call(Members params, Output& out) {
    auto tool = unquoted(params.find("name"));
    if (tool == "echo") {
      answer(echo_, out);
    } else if (tool == "big") {
      answer(big_, out);
    } else if (tool == "payload") {
      std::size_t bytes = 0;
      auto asked = Members(params.find("arguments")).find("bytes");
      std::from_chars(asked.data(), asked.data() + asked.size(), bytes);
      if (payload_.size() != bytes) payload_.assign(bytes, 'p');
      answer(payload_, out);
    } else {
      out << R"(,"error":{"code":-32602,"message":"Unknown tool"})";
    }
  }

  static void answer(std::string_view text, Output& out) {
    out << R"(,"result":{"content":[{"type":"text","text":")" << text << R"("}]})";
  }

  std::string echo_ = std::string(200, 'e');
  std::string big_ = std::string(1'000'000, 'b');
  std::string payload_;
};

int main() {
  EchoServer server;
  Output out;
  std::vector<char> buffer(256 * 1024);
  std::size_t held = 0;  // Bytes of a line whose end has not come.
  for (;;) {
    if (held == buffer.size()) buffer.resize(buffer.size() * 2);
    ssize_t count = read(STDIN_FILENO, buffer.data() + held, buffer.size() - held);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    // Only what is new can hold the end of the line that was held back.
    std::size_t search_from = held;
    held += static_cast<std::size_t>(count);
    std::size_t line = 0;
    std::string_view all(buffer.data(), held);
    for (auto end = all.find('\n', search_from); end != all.npos; end = all.find('\n', line)) {
      server.handle(all.substr(line, end - line), out);
      line = end + 1;
    }
    out.flush();
    held -= line;
    std::memmove(buffer.data(), buffer.data() + line, held);
  }
}

}  // namespace
}  // namespace patchbay::bench

int main() { return patchbay::bench::main(); }
