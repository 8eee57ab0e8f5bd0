#include "store/redis/reply.h"

#include <fmt/format.h>

#include <charconv>

namespace patchbay::store {
namespace {

constexpr std::int64_t kMaxBytes = 64 << 20;
constexpr std::int64_t kMaxItems = 1 << 20;
constexpr int kMaxDepth = 8;

// Reads from the front of the bytes. `short_` means: they end before the reply does.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Result<Reply> read(int depth = 0) {
    const auto line = read_line();
    if (short_) return Reply();
    if (line.empty() || depth > kMaxDepth) return bad();
    const char type = line.front();
    const auto rest = line.substr(1);
    switch (type) {
      case '+':
        return Reply{.kind = Reply::Kind::text, .text = std::string(rest)};
      case '-':
        return Reply{.kind = Reply::Kind::error, .text = std::string(rest)};
      case ',':  // A double, and a number of any size: nothing here asks for these.
      case '(':
        return Reply{.kind = Reply::Kind::text, .text = std::string(rest)};
      case '#':
        return Reply{.kind = Reply::Kind::number, .number = rest == "t" ? 1 : 0};
      case '_':
        return Reply();
      case ':':
        return read_number(rest);
      case '$':
      case '=':
        return read_bulk(rest, Reply::Kind::text);
      case '!':
        return read_bulk(rest, Reply::Kind::error);
      case '*':
      case '~':
        return read_items(rest, Reply::Kind::list, 1, depth);
      case '%':
        return read_items(rest, Reply::Kind::list, 2, depth);
      case '>':
        return read_items(rest, Reply::Kind::push, 1, depth);
      default:
        return bad();
    }
  }

  bool is_short() const { return short_; }
  std::size_t used() const { return at_; }

 private:
  static Error bad() { return {Code::upstream_failed, "what the server answers is not RESP"}; }

  std::string_view read_line() {
    const auto end = bytes_.find("\r\n", at_);
    if (end == std::string_view::npos) {
      short_ = true;
      return {};
    }
    const auto line = bytes_.substr(at_, end - at_);
    at_ = end + 2;
    return line;
  }

  static std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  static Result<Reply> read_number(std::string_view text) {
    const auto number = number_in(text);
    if (!number) return bad();
    return Reply{.kind = Reply::Kind::number, .number = *number};
  }

  Result<Reply> read_bulk(std::string_view size, Reply::Kind kind) {
    const auto count = number_in(size);
    if (!count || *count < -1 || *count > kMaxBytes) return bad();
    if (*count == -1) return Reply();
    const auto length = static_cast<std::size_t>(*count);
    if (bytes_.size() - at_ < length + 2) {
      short_ = true;
      return Reply();
    }
    if (bytes_.substr(at_ + length, 2) != "\r\n") return bad();
    Reply reply{.kind = kind, .text = std::string(bytes_.substr(at_, length))};
    at_ += length + 2;
    return reply;
  }

  Result<Reply> read_items(std::string_view size, Reply::Kind kind, std::int64_t each, int depth) {
    const auto count = number_in(size);
    if (!count || *count < -1 || *count > kMaxItems) return bad();
    if (*count == -1) return Reply();
    Reply reply{.kind = kind};
    for (std::int64_t i = 0; i < *count * each; ++i) {
      auto item = read(depth + 1);
      if (!item || short_) return item;
      reply.items.push_back(*std::move(item));
    }
    return reply;
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  bool short_ = false;
};

}  // namespace

Result<std::optional<ParsedReply>> parse_reply(std::string_view bytes) {
  Reader reader(bytes);
  auto reply = reader.read();
  if (!reply) return reply.error();
  if (!reader.is_short()) return std::optional(ParsedReply{*std::move(reply), reader.used()});
  if (bytes.size() > 2 * static_cast<std::size_t>(kMaxBytes)) {
    return Error{Code::upstream_failed, "an answer of the server is too large"};
  }
  return std::optional<ParsedReply>();
}

std::string encode_command(const std::vector<std::string>& args) {
  std::string text = fmt::format("*{}\r\n", args.size());
  for (const auto& arg : args) {
    text += fmt::format("${}\r\n", arg.size());
    text += arg;
    text += "\r\n";
  }
  return text;
}

}  // namespace patchbay::store
