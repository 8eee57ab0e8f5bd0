// The frames of WebSocket (RFC 6455), parsed strictly: what the RFC forbids ends the connection
// with the appropriate close code. Text messages only; no extensions.
//
// Pure: bytes in, messages out. Used by both sides of a connection.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::net {

// The close codes.
enum class WsClose : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported = 1003,  // Data of a kind that is not accepted.
  none_given = 1005,   // The peer sent no code. Never on the wire.
  broken_off = 1006,   // The connection ended without a close frame. Never on the wire.
  bad_text = 1007,
  policy = 1008,
  too_big = 1009,
  internal = 1011,
  try_later = 1013,
};

// True if a peer may send that code.
constexpr bool is_sendable_close(int code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

enum class WsOpcode : std::uint8_t {
  more = 0x0,  // Continues a message.
  text = 0x1,
  binary = 0x2,
  close = 0x8,
  ping = 0x9,
  pong = 0xA,
};

// The most that a control frame can carry.
inline constexpr std::size_t kWsMostControl = 125;

// The side of a connection. Clients mask what they send, servers never do.
enum class WsSide : std::uint8_t { server, client };

using WsMask = std::array<char, 4>;

// The head of a frame with a payload of that size.
std::string ws_frame_head(WsOpcode opcode, bool last, std::size_t size,
                          const std::optional<WsMask>& mask = {});

// Masks or unmasks `bytes`, which begin `at` bytes into the payload.
void ws_mask(char* bytes, std::size_t size, const WsMask& mask, std::size_t at);

// The payload of a close frame. A reason that is too long is cut between two characters.
std::string ws_close_payload(WsClose code, std::string_view reason);

// The error for a peer that must be sent close code `code`, and the code of such an error.
Error ws_fault(WsClose code, std::string message);
WsClose ws_close_code(const Error& error);

struct WsLimits {
  std::size_t message = 16 << 20;
  std::size_t fragments = 1024;  // Of one message.
};

// Assembles messages from the bytes of one side. Memory grows with what has arrived, not with what
// a header announces.
class WsReader {
 public:
  enum class Kind : std::uint8_t { none, text, ping, pong, close };

  struct Step {
    std::size_t taken = 0;  // Of the bytes passed in.
    Kind kind = Kind::none;
  };

  // `side` is the one that reads.
  WsReader(WsSide side, const WsLimits& limits) : side_(side), limits_(limits) {}

  // Takes bytes up to the end of the next complete message or control frame. Kind::none: all usable
  // bytes were taken and more are needed; bytes that were not taken must be passed again with more
  // after them. An error (see ws_close_code) is final.
  Result<Step> next(std::string_view bytes);

  // The message, after Kind::text. May be moved from.
  std::string& message() { return message_; }

  // The payload, after Kind::ping and Kind::pong, and the reason after Kind::close.
  std::string_view control() const { return control_; }
  // After Kind::close: the code of the peer, or WsClose::none_given.
  WsClose close_code() const { return close_code_; }

  // A message or a frame has started and not ended.
  bool underway() const { return in_message_ || in_frame_; }
  // How much of the current frame is still missing.
  std::uint64_t announced() const { return left_; }

 private:
  struct Head {
    std::size_t size = 0;  // 0: not complete.
    WsOpcode opcode{};
    bool last = false;
    std::uint64_t length = 0;
    WsMask mask{};
  };

  Result<Head> read_head(std::string_view bytes) const;
  Result<void> begin_frame(const Head& head);
  Result<void> take_payload(std::string_view bytes);
  Result<Kind> end_frame();
  Result<void> check_text(bool last);
  Result<Kind> end_close();

  const WsSide side_;
  const WsLimits limits_;
  std::string message_;
  std::size_t checked_ = 0;    // How much of the message is verified as UTF-8.
  std::size_t fragments_ = 0;  // Of the message so far.
  bool in_message_ = false;
  bool delivered_ = false;  // The message was returned: the next one starts with the next bytes.
  bool in_frame_ = false;
  Head frame_;              // The current one,
  std::uint64_t left_ = 0;  // and how much of its payload is still missing.
  std::string control_;
  WsClose close_code_ = WsClose::none_given;
};

}  // namespace patchbay::net
