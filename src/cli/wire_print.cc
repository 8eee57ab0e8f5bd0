#include "cli/wire_print.h"

#include <fmt/format.h>

#include "core/text.h"
#include "json/read.h"
#include "json/write.h"
#include "transport/wire/gzip.h"

namespace patchbay::app {
namespace {

std::optional<int> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// The payload, decompressed; or the reason why that fails.
std::string content_of(const wire::Frame& frame, std::string& fault) {
  if (!frame.compressed) return std::string(frame.payload);
  auto text = wire::gunzip(frame.payload, {});
  if (text) return *std::move(text);
  fault = text.error().message;
  return "";
}

bool is_json(std::string_view text) {
  return json::type_of(text) == json::Type::object && json::check(text);
}

std::string frame_json(std::string_view mark, const wire::Frame& frame, std::string_view head) {
  std::string fault;
  const std::string content = content_of(frame, fault);
  std::string out;
  json::Object object(out);
  object.raw("mark", json::quote(mark));
  object.raw("type", json::quote(wire::name_of(frame.type)));
  object.raw("header", std::to_string(wire::size_of(frame.header)));
  object.raw("head", json::quote(to_hex(head)));
  object.raw("length", std::to_string(frame.payload.size()));
  object.raw("compressed", frame.compressed ? "true" : "false");
  if (!fault.empty()) {
    object.raw("fault", json::quote(fault));
  } else if (is_json(content)) {
    object.raw("payload", json::on_one_line(content));
  } else if (json::is_utf8(content) && frame.type != wire::FrameType::ping &&
             frame.type != wire::FrameType::pong) {
    object.raw("text", json::quote(content));
  } else {
    object.raw("bytes", json::quote(to_hex(content)));
  }
  object.end();
  return out;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += fmt::format("{}{:02X}", text.empty() ? "" : " ",
                        static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes;
  std::optional<int> high;
  for (const char c : text) {
    if (is_space(c) || c == ':') continue;
    const auto value = digit(c);
    if (!value) return std::nullopt;
    if (high) {
      bytes += static_cast<char>(*high * 16 + *value);
      high.reset();
    } else {
      high = value;
    }
  }
  if (high) return std::nullopt;
  return bytes;
}

std::string frame_text(std::string_view mark, const wire::Frame& frame, std::string_view bytes,
                       bool json) {
  // A frame may begin one byte later, if the rest of the header was still missing.
  const std::size_t skipped = frame.size - frame.payload.size();
  const std::string_view head = bytes.substr(0, skipped);
  if (json) return frame_json(mark, frame, head);
  std::string fault;
  const std::string content = content_of(frame, fault);
  std::string line =
      fmt::format("{} {:<5} {} bytes{}  [{}]", mark, wire::name_of(frame.type),
                  frame.payload.size(), frame.compressed ? ", gzip" : "", to_hex(head));
  if (!fault.empty()) return line + "\n  " + fault;
  if (content.empty()) return line;
  const bool text = is_json(content) ||
                    (frame.type == wire::FrameType::error || frame.type == wire::FrameType::close);
  return line + "\n  " + (text && json::is_utf8(content) ? content : to_hex(content));
}

}  // namespace patchbay::app
