#include "transport/wire/frame.h"

#include <fmt/format.h>

#include <array>

#include "json/read.h"

namespace patchbay::wire {
namespace {

constexpr std::string_view kMagic = "MC";
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::size_t kSure = 9;  // Bytes of a text frame that usually identify its header.
constexpr std::uint16_t kOriginVersion = 1;

std::uint8_t byte(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

std::size_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | byte(bytes, at + i);
  return value;
}

void append_big_endian(std::string& out, std::uint64_t value, int count) {
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift & 0xff);
  }
}

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_control(FrameType type) {
  return type == FrameType::ping || type == FrameType::pong || type == FrameType::close;
}

// The offset of the length, which is always the last field of the header.
std::size_t payload_size(std::string_view bytes, Header header) {
  return big_endian(bytes, size_of(header) - 4, 4);
}

Error broken(std::string message) { return {Code::invalid_request, std::move(message)}; }

Error unknown_type(std::size_t type) {
  return broken(fmt::format(
      "unknown frame type 0x{:02X}: use 01 DATA, 02 PING, 03 PONG, 04 ERROR or 05 CLOSE", type));
}

Error no_magic(std::string_view bytes) {
  std::string seen;
  for (const char c : bytes.substr(0, 2)) {
    seen += fmt::format(" {:02X}", static_cast<unsigned>(static_cast<std::uint8_t>(c)));
  }
  return broken(fmt::format("a frame begins with 4D 43 (\"MC\"), not with{}", seen));
}

// The numbers of the types in the headers of 12 and 16 bytes, from 1 on.
constexpr std::array kOriginTypes{
    FrameType::data,  FrameType::data,  FrameType::other,     FrameType::ping,
    FrameType::error, FrameType::hello, FrameType::hello_ack,
};

std::uint16_t origin_number(FrameType type) {
  switch (type) {
    case FrameType::data:
      return 2;  // A response; a gateway sends nothing else with these headers.
    case FrameType::ping:
    case FrameType::pong:
      return 4;
    case FrameType::error:
      return 5;
    case FrameType::hello:
      return 6;
    case FrameType::hello_ack:
      return 7;
    case FrameType::close:
    case FrameType::other:
      break;
  }
  return 3;
}

}  // namespace

std::string_view name_of(FrameType type) {
  constexpr std::array<std::string_view, 9> kNames{"",      "DATA",  "PING",      "PONG", "ERROR",
                                                   "CLOSE", "HELLO", "HELLO_ACK", "OTHER"};
  return kNames[static_cast<std::size_t>(type)];
}

FrameDecoder::Found FrameDecoder::next(std::string_view bytes) {
  needed_ = 0;
  if (short_header_ && !bytes.empty()) return after_short_header(bytes);
  if (!kMagic.starts_with(bytes.substr(0, kMagic.size()))) return no_magic(bytes);
  if (bytes.size() < 3) return std::nullopt;
  const auto type = byte(bytes, 2);
  if (rules_.origin_headers && type == 'P') {
    if (bytes.size() < 4) return std::nullopt;
    if (bytes[3] == 'B') return origin(bytes, Header::twelve);
    if (bytes[3] == '\0') return origin(bytes, Header::sixteen);
  }
  if (type < 1 || type > 5) return unknown_type(type);
  if (bytes.size() < 4) return std::nullopt;
  return plain(bytes, static_cast<FrameType>(type));
}

FrameDecoder::Found FrameDecoder::origin(std::string_view bytes, Header header) {
  if (bytes.size() < size_of(header)) return std::nullopt;
  const std::size_t version = big_endian(bytes, 4, 2);
  if (version != kOriginVersion) return broken(fmt::format("unknown frame version {}", version));
  const std::size_t type = big_endian(bytes, 6, 2);
  if (type < 1 || type > kOriginTypes.size()) return unknown_type(type);
  header_ = header;
  return read(bytes, kOriginTypes[type - 1], header);
}

// Byte 3 is the top of a length that never needs it, or holds flags.
FrameDecoder::Found FrameDecoder::plain(std::string_view bytes, FrameType type) {
  if (header_ == Header::eight) return read(bytes, type, Header::eight);
  if (bytes.size() < size_of(Header::seven)) return std::nullopt;
  const auto flags = byte(bytes, 3);
  // Too much, whatever the next byte and whichever header this is.
  if (flags != 0 && (big_endian(bytes, 4, 3) << 8) > rules_.most) {
    return read(bytes, type, Header::seven);
  }
  if (flags & 1) return read(bytes, type, Header::eight);
  if (header_ == Header::seven) return read(bytes, type, Header::seven);
  if (is_control(type) && flags == 0) return control(bytes, type);
  if (is_control(type)) return read(bytes, type, header_ = Header::eight);
  auto header = detect_by_text(bytes, type);
  if (!header) return std::nullopt;
  return read(bytes, type, header_ = *header);
}

// A text begins with a brace, and nothing begins with two.
std::optional<Header> FrameDecoder::detect_by_text(std::string_view bytes, FrameType type) const {
  if (bytes.size() < kSure) return std::nullopt;
  const auto may_begin = [](char c) { return c == '{' || is_json_space(c); };
  if (bytes[8] == '{' && !is_json_space(bytes[7])) return Header::eight;
  if (bytes[7] == '{' && !is_json_space(bytes[8])) return Header::seven;
  if (bytes[3] != '\0') return Header::eight;  // In 7 bytes, that would be an impossible length.
  const bool text = may_begin(bytes[7]) || may_begin(bytes[8]);
  if (!text && type == FrameType::data && payload_size(bytes, Header::seven) != 0) {
    return Header::seven;  // Wrong in either form, so its end does not matter.
  }
  return detect_by_ends(bytes);
}

// The frame of 7 would end before the frame of 8: the next one is looked for there.
std::optional<Header> FrameDecoder::detect_by_ends(std::string_view bytes) const {
  const std::size_t end7 = 7 + payload_size(bytes, Header::seven);
  const std::size_t end8 = 8 + payload_size(bytes, Header::eight);
  if (end8 > rules_.most) return Header::seven;
  if (bytes.size() < end7) return std::nullopt;
  const std::string_view after = bytes.substr(end7, kMagic.size());
  if (!kMagic.starts_with(after)) return Header::eight;
  if (after.size() == kMagic.size()) return Header::seven;
  // It may end here, or have been cut here by chance; in the latter case it is not a complete text.
  const std::string_view text = bytes.substr(7, end7 - 7);
  if (json::type_of(text) == json::Type::object && json::check(text)) return Header::seven;
  return std::nullopt;
}

// In 8 bytes, a control frame has zeros where one in 7 bytes has its length.
FrameDecoder::Found FrameDecoder::control(std::string_view bytes, FrameType type) {
  if (payload_size(bytes, Header::seven) != 0) return read(bytes, type, header_ = Header::seven);
  const std::string_view after = bytes.substr(7, kMagic.size());
  if (!kMagic.starts_with(after)) return read(bytes, type, header_ = Header::eight);
  if (after.size() == kMagic.size()) {
    header_ = Header::seven;
  } else {
    short_header_ = type;
  }
  return read(bytes, type, Header::seven);
}

// If an empty frame with a 7-byte header was in fact longer, it continues with a length.
FrameDecoder::Found FrameDecoder::after_short_header(std::string_view bytes) {
  if (bytes[0] == kMagic[0]) {
    if (bytes.size() < 2) return std::nullopt;
    if (bytes[1] == kMagic[1]) {
      short_header_.reset();
      header_ = Header::seven;
      return next(bytes);
    }
  }
  const std::size_t length = byte(bytes, 0);
  if (length > kMaxControl) return no_magic(bytes);
  if (bytes.size() < 1 + length) return std::nullopt;
  const FrameType type = *short_header_;
  short_header_.reset();
  header_ = Header::eight;
  if (length > 0) {
    return std::optional(Frame{type, Header::eight, false, bytes.substr(1, length), 1 + length});
  }
  auto found = next(bytes.substr(1));
  if (found && *found) {
    (*found)->size += 1;
  } else if (found) {
    short_header_ = type;  // The zero is still in the input, and is read again.
  }
  return found;
}

FrameDecoder::Found FrameDecoder::read(std::string_view bytes, FrameType type, Header header) {
  const std::size_t head = size_of(header);
  if (bytes.size() < head) return std::nullopt;
  const std::size_t length = payload_size(bytes, header);
  if (head + length > rules_.most) {
    return Error{Code::too_large,
                 fmt::format("a frame of {} bytes; the maximum is {}", head + length, rules_.most)};
  }
  if (is_control(type) && size_of(header) <= 8 && length > kMaxControl) {
    return Error{Code::too_large, fmt::format("a {} carries at most {} bytes, not {}",
                                              name_of(type), kMaxControl, length)};
  }
  const bool compressed = header == Header::eight && (byte(bytes, 3) & 1) != 0;
  const std::string_view begin = bytes.substr(head, std::min(length, kGzipMagic.size()));
  if (compressed && !kGzipMagic.starts_with(begin)) {
    return broken("the flags announce gzip, but the payload does not begin with 1F 8B");
  }
  needed_ = head + length;
  if (bytes.size() < needed_) return std::nullopt;
  return std::optional(Frame{type, header, compressed, bytes.substr(head, length), needed_});
}

void append_header(std::string& out, Header header, FrameType type, std::size_t payload,
                   bool compressed) {
  out += kMagic;
  if (header == Header::twelve || header == Header::sixteen) {
    out += header == Header::twelve ? std::string_view("PB") : std::string_view("P\0", 2);
    append_big_endian(out, kOriginVersion, 2);
    append_big_endian(out, origin_number(type), 2);
    if (header == Header::sixteen) append_big_endian(out, 0, 4);
  } else {
    out += static_cast<char>(type);
    if (header == Header::eight) out += compressed ? '\1' : '\0';
  }
  append_big_endian(out, payload, 4);
}

std::string encode(Header header, FrameType type, std::string_view payload) {
  std::string frame;
  frame.reserve(size_of(header) + payload.size());
  append_header(frame, header, type, payload.size());
  frame += payload;
  return frame;
}

std::string ping_payload(std::uint64_t unix_ms) {
  std::string payload;
  append_big_endian(payload, unix_ms, 8);
  return payload;
}

}  // namespace patchbay::wire
