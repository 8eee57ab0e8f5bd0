#include "net/websocket/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "json/text.h"

namespace patchbay::net {
namespace {

constexpr unsigned char kLast = 0x80;
constexpr unsigned char kReserved = 0x70;
constexpr unsigned char kMasked = 0x80;
constexpr std::size_t kShort = 125;   // The longest length in the second byte itself,
constexpr std::size_t kMiddle = 126;  // that it is in two bytes more,
constexpr std::size_t kLong = 127;    // or in eight.

bool is_control(WsOpcode opcode) { return static_cast<std::uint8_t>(opcode) >= 0x8; }

bool is_known(unsigned opcode) { return opcode <= 0x2 || (opcode >= 0x8 && opcode <= 0xA); }

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

void append_big_endian(std::string& out, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

Error broken(std::string message) { return ws_fault(WsClose::protocol_error, std::move(message)); }

// True if `text` is the beginning of an incomplete character. Every such beginning is completed by
// one of three bytes, followed by 0x80 for each missing byte.
bool begins_character(std::string_view text) {
  if (text.empty() || text.size() > 3) return false;
  const auto lead = byte_at(text, 0);
  const std::size_t whole = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() >= whole) return false;
  for (const char second : {'\x80', '\x90', '\xA0'}) {
    std::string tried(text);
    tried += second;
    tried.resize(whole, '\x80');
    if (json::utf8_length(tried) == whole) return true;
  }
  return false;
}

}  // namespace

std::string ws_frame_head(WsOpcode opcode, bool last, std::size_t size,
                          const std::optional<WsMask>& mask) {
  std::string head;
  head += static_cast<char>((last ? kLast : 0) | static_cast<unsigned char>(opcode));
  const unsigned char masked = mask ? kMasked : 0;
  if (size <= kShort) {
    head += static_cast<char>(masked | size);
  } else if (size <= 0xFFFF) {
    head += static_cast<char>(masked | kMiddle);
    append_big_endian(head, size, 2);
  } else {
    head += static_cast<char>(masked | kLong);
    append_big_endian(head, size, 8);
  }
  if (mask) head.append(mask->data(), mask->size());
  return head;
}

void ws_mask(char* bytes, std::size_t size, const WsMask& mask, std::size_t at) {
  std::array<char, 8> turned{};
  for (std::size_t i = 0; i < 8; ++i) turned[i] = mask[(at + i) % 4];
  std::uint64_t wide = 0;
  std::memcpy(&wide, turned.data(), 8);
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, bytes + i, 8);
    block ^= wide;
    std::memcpy(bytes + i, &block, 8);
  }
  for (; i < size; ++i) bytes[i] = static_cast<char>(bytes[i] ^ turned[i % 8]);
}

std::string ws_close_payload(WsClose code, std::string_view reason) {
  std::string payload;
  append_big_endian(payload, static_cast<std::uint16_t>(code), 2);
  reason = reason.substr(0, kWsMostControl - payload.size());
  payload += reason.substr(0, json::utf8_prefix(reason));
  return payload;
}

Error ws_fault(WsClose code, std::string message) {
  const Code kind = code == WsClose::too_big ? Code::too_large : Code::invalid_request;
  return {kind, std::move(message), std::to_string(static_cast<int>(code))};
}

WsClose ws_close_code(const Error& error) {
  int code = static_cast<int>(WsClose::internal);
  std::from_chars(error.data.data(), error.data.data() + error.data.size(), code);
  return static_cast<WsClose>(code);
}

Result<WsReader::Head> WsReader::read_head(std::string_view bytes) const {
  Head head;
  if (bytes.size() < 2) return head;
  const auto first = byte_at(bytes, 0);
  const auto second = byte_at(bytes, 1);
  if ((first & kReserved) != 0) return broken("a reserved bit is set: no extension was agreed on");
  if (!is_known(first & 0xF)) return broken("the opcode is unknown");
  head.opcode = static_cast<WsOpcode>(first & 0xF);
  head.last = (first & kLast) != 0;
  const bool masked = (second & kMasked) != 0;
  if (masked != (side_ == WsSide::server)) {
    return broken(masked ? "a server must not mask its frames" : "a client must mask its frames");
  }
  const std::size_t shortest = second & ~unsigned{kMasked};
  if (is_control(head.opcode) && (!head.last || shortest > kWsMostControl)) {
    return broken("a control frame is fragmented, or longer than 125 bytes");
  }
  const std::size_t more = shortest == kMiddle ? 2 : shortest == kLong ? 8 : 0;
  const std::size_t size = 2 + more + (masked ? 4 : 0);
  if (bytes.size() < size) return head;
  head.length = more == 0 ? shortest : big_endian(bytes.substr(2, more));
  if ((more == 2 && head.length <= kShort) || (more == 8 && head.length <= 0xFFFF)) {
    return broken("a length is written longer than it needs to be");
  }
  if (head.length >> 63 != 0) return broken("a length has its highest bit set");
  if (masked) std::copy_n(bytes.data() + 2 + more, 4, head.mask.data());
  head.size = size;
  return head;
}

// What a frame header announces is refused before any of it is read.
Result<void> WsReader::begin_frame(const Head& head) {
  if (is_control(head.opcode)) {
    control_.clear();
    return ok();
  }
  if (head.opcode == WsOpcode::binary) {
    return ws_fault(WsClose::unsupported, "messages are text here, not binary");
  }
  if ((head.opcode == WsOpcode::more) != in_message_) {
    return broken(in_message_ ? "a message begins inside another"
                              : "a continuation continues no message");
  }
  if (std::exchange(delivered_, false)) {
    message_.clear();
    checked_ = fragments_ = 0;
  }
  if (head.length > limits_.message - std::min(message_.size(), limits_.message)) {
    return ws_fault(WsClose::too_big,
                    fmt::format("a message has more than {} bytes", limits_.message));
  }
  if (++fragments_ > limits_.fragments) {
    return ws_fault(WsClose::policy,
                    fmt::format("a message has more than {} fragments", limits_.fragments));
  }
  in_message_ = true;
  return ok();
}

Result<void> WsReader::take_payload(std::string_view bytes) {
  std::string& into = is_control(frame_.opcode) ? control_ : message_;
  const auto before = into.size();
  into += bytes;
  if (side_ == WsSide::server) {
    ws_mask(into.data() + before, bytes.size(), frame_.mask, frame_.length - left_);
  }
  left_ -= bytes.size();
  if (is_control(frame_.opcode)) return ok();
  return check_text(left_ == 0 && frame_.last);
}

// Invalid UTF-8 is noticed as soon as it arrives, also where a character is split between frames.
Result<void> WsReader::check_text(bool last) {
  checked_ += json::utf8_prefix(std::string_view(message_).substr(checked_));
  const auto rest = std::string_view(message_).substr(checked_);
  if (rest.empty() || (!last && begins_character(rest))) return ok();
  return ws_fault(WsClose::bad_text, "a message is not UTF-8");
}

Result<WsReader::Kind> WsReader::end_frame() {
  in_frame_ = false;
  switch (frame_.opcode) {
    case WsOpcode::ping:
      return Kind::ping;
    case WsOpcode::pong:
      return Kind::pong;
    case WsOpcode::close:
      return end_close();
    default:
      if (!frame_.last) return Kind::none;
      if (auto good = check_text(true); !good) return good.error();
      in_message_ = false;
      delivered_ = true;
      return Kind::text;
  }
}

Result<WsReader::Kind> WsReader::end_close() {
  close_code_ = WsClose::none_given;
  if (control_.empty()) return Kind::close;
  if (control_.size() == 1) return broken("a close frame has half a code");
  const auto code = static_cast<int>(big_endian(std::string_view(control_).substr(0, 2)));
  if (!is_sendable_close(code)) return broken("a close frame has a code that must not be sent");
  control_.erase(0, 2);
  if (!json::is_utf8(control_)) {
    return ws_fault(WsClose::bad_text, "the reason in a close frame is not UTF-8");
  }
  close_code_ = static_cast<WsClose>(code);
  return Kind::close;
}

Result<WsReader::Step> WsReader::next(std::string_view bytes) {
  Step step;
  for (;;) {
    if (!in_frame_) {
      auto head = read_head(bytes.substr(step.taken));
      if (!head) return head.error();
      if (head->size == 0) return step;
      if (auto begun = begin_frame(*head); !begun) return begun.error();
      frame_ = *head;
      left_ = head->length;
      in_frame_ = true;
      step.taken += head->size;
    }
    const auto here = bytes.substr(step.taken, left_);
    step.taken += here.size();
    if (!here.empty()) {
      if (auto taken = take_payload(here); !taken) return taken.error();
    }
    if (left_ > 0) return step;
    auto kind = end_frame();
    if (!kind) return kind.error();
    step.kind = *kind;
    if (step.kind != Kind::none) return step;
  }
}

}  // namespace patchbay::net
