#include "cluster/link_frames.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "json/read.h"
#include "json/write.h"

namespace patchbay::cluster {
namespace {

// Big-endian numbers, and texts with their length in front.
template <class Number>
void put(std::string& out, Number number) {
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
  }
}

void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

// Takes values from the front of `rest`; false once something is missing.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  template <class Number>
  bool take(Number& into) {
    if (rest_.size() < sizeof(Number)) return false;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      number = number << 8U | static_cast<unsigned char>(rest_[i]);
    }
    rest_.remove_prefix(sizeof(Number));
    into = static_cast<Number>(number);
    return true;
  }

  bool take(std::string_view& into) {
    std::uint32_t size = 0;
    if (!take(size) || rest_.size() < size) return false;
    into = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::string list_of(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) {
    if (list.size() > 1) list += ',';
    json::append_quoted(list, text);
  }
  return list + "]";
}

std::vector<std::string> texts_of(std::string_view raw) {
  std::vector<std::string> texts;
  json::each_element(raw, [&](std::string_view element) {
    if (auto text = json::as_string(element)) texts.push_back(*std::move(text));
  });
  return texts;
}

}  // namespace

std::optional<Payload> read_payload(std::string_view payload) {
  Reader reader(payload);
  std::uint8_t kind = 0;
  Payload read;
  if (!reader.take(kind) || !reader.take(read.stream)) return std::nullopt;
  if (kind < static_cast<std::uint8_t>(LinkFrame::request) ||
      kind > static_cast<std::uint8_t>(LinkFrame::refused)) {
    return std::nullopt;
  }
  read.kind = static_cast<LinkFrame>(kind);
  read.rest = reader.rest();
  return read;
}

std::string begin_payload(LinkFrame kind, std::uint32_t stream) {
  std::string payload;
  put(payload, static_cast<std::uint8_t>(kind));
  put(payload, stream);
  return payload;
}

void append(std::string& out, const RequestFrame& frame) {
  put(out, frame.run);
  put(out, frame.body_size);
  put(out, static_cast<std::uint8_t>(frame.secure));
  put_text(out, frame.caller);
  put_text(out, frame.ip);
  put_text(out, frame.head);
  out += frame.body;
}

std::optional<RequestFrame> read_request(std::string_view rest) {
  Reader reader(rest);
  RequestFrame frame;
  std::uint8_t secure = 0;
  if (!reader.take(frame.run) || !reader.take(frame.body_size) || !reader.take(secure) ||
      !reader.take(frame.caller) || !reader.take(frame.ip) || !reader.take(frame.head)) {
    return std::nullopt;
  }
  frame.secure = secure != 0;
  frame.body = reader.rest();
  return frame;
}

void append(std::string& out, const HeadFrame& frame) {
  put(out, frame.status);
  put(out, static_cast<std::uint8_t>(frame.streams));
  put(out, frame.body_size);
  put_text(out, frame.type);
  put_text(out, frame.fields);
  out += frame.body;
}

std::optional<HeadFrame> read_head(std::string_view rest) {
  Reader reader(rest);
  HeadFrame frame;
  std::uint8_t streams = 0;
  if (!reader.take(frame.status) || !reader.take(streams) || !reader.take(frame.body_size) ||
      !reader.take(frame.type) || !reader.take(frame.fields)) {
    return std::nullopt;
  }
  frame.streams = streams != 0;
  frame.body = reader.rest();
  return frame;
}

void append(std::string& out, std::uint64_t number) { put(out, number); }

std::optional<std::uint64_t> read_number(std::string_view rest) {
  std::uint64_t number = 0;
  return Reader(rest).take(number) ? std::optional(number) : std::nullopt;
}

std::string text_of(const Principal& caller) {
  using std::chrono::milliseconds;
  std::string text;
  json::Object object(text);
  object.raw("id", json::quote(caller.id));
  object.raw("name", json::quote(caller.name));
  object.raw("auth", fmt::format("{}", static_cast<int>(caller.auth_method)));
  object.raw("roles", list_of(caller.roles));
  object.raw("scopes", list_of(caller.scopes));
  object.raw("claims", caller.claims);
  if (caller.until != std::chrono::system_clock::time_point::max()) {
    const auto until =
        std::chrono::duration_cast<milliseconds>(caller.until.time_since_epoch()).count();
    object.raw("until", fmt::format("{}", until));
  }
  object.end();
  return text;
}

std::optional<Principal> read_caller(std::string_view text,
                                     const std::shared_ptr<const void>& standing) {
  Principal caller;
  auto id = json::string_member(text, "id");
  const auto method = json::member(text, "auth").and_then(json::as_int).value_or(-1);
  if (!id || method < 0 || method > static_cast<int>(AuthMethod::proxy)) return std::nullopt;
  caller.id = *std::move(id);
  caller.name = json::string_member(text, "name").value_or("");
  caller.auth_method = static_cast<AuthMethod>(method);
  caller.roles = texts_of(json::member(text, "roles").value_or("[]"));
  caller.scopes = texts_of(json::member(text, "scopes").value_or("[]"));
  caller.claims = json::member(text, "claims").value_or("{}");
  if (auto until = json::member(text, "until").and_then(json::as_int)) {
    caller.until = std::chrono::system_clock::time_point(std::chrono::milliseconds(*until));
  }
  caller.known_by = standing;
  return caller;
}

}  // namespace patchbay::cluster
