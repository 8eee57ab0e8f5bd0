// Frames of the binary wire protocol: `4D 43`, a type, a length, a payload. The header has two
// forms, 7 bytes and 8 bytes (with flags), which a peer does not announce; a FrameDecoder
// distinguishes them by what follows, however the bytes are split. See docs/wire-protocol.md.
//
// Pure: bytes in, frames out. Confined to the owner of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::wire {

inline constexpr std::size_t kMaxFrame = 16 << 20;  // Header and payload together.
inline constexpr std::size_t kMaxControl = 125;     // The payload of PING, PONG and CLOSE.

enum class FrameType : std::uint8_t {
  data = 1,
  ping = 2,
  pong = 3,
  error = 4,
  close = 5,
  // Only in the headers of 12 and 16 bytes.
  hello = 6,      // The versions that the peer supports...
  hello_ack = 7,  // ...and the selected one.
  other = 8,      // A message that needs no answer.
};

std::string_view name_of(FrameType type);

// The form of header.
enum class Header : std::uint8_t {
  unknown,  // Not detected yet.
  seven,    // MC, type, length (4).
  eight,    // MC, type, flags, length (4). Bit 0 of the flags: the payload is gzip.
  twelve,   // MCPB, version (2), type (2), length (4).
  sixteen,  // MCP\0, version (2), type (2), reserved (4), length (4).
};

constexpr std::size_t size_of(Header header) {
  constexpr std::size_t kSizes[] = {0, 7, 8, 12, 16};
  return kSizes[static_cast<std::size_t>(header)];
}

struct Frame {
  FrameType type = FrameType::data;
  Header header = Header::seven;
  bool compressed = false;
  std::string_view payload = {};  // Within the decoded bytes.
  std::size_t size = 0;           // Bytes to drop from the front of the decoded bytes.
};

struct FrameRules {
  std::size_t most = kMaxFrame;     // The largest frame.
  Header header = Header::unknown;  // The header of the peer, if it is known beforehand.
  bool origin_headers = false;      // Those of 12 and 16 bytes are accepted too.
};

class FrameDecoder {
 public:
  explicit FrameDecoder(const FrameRules& rules) : rules_(rules), header_(rules.header) {}

  // The frame at the front of `bytes`; none if more bytes are needed. Error: too_large, or
  // invalid_request for anything else that ends the connection. Nothing is parsed twice: the caller
  // drops the `size` bytes of a frame before the next call, and nothing else.
  Result<std::optional<Frame>> next(std::string_view bytes);

  // Sets the largest frame from now on.
  void set_most(std::size_t most) { rules_.most = most; }

  // The header of the peer, once it is detected; answers use the same.
  Header header() const { return header_; }

  // The size of the frame at the front, as far as the last next() could determine it; 0: unknown.
  std::size_t wanted() const { return needed_; }

 private:
  using Found = Result<std::optional<Frame>>;

  Found origin(std::string_view bytes, Header header);
  Found plain(std::string_view bytes, FrameType type);
  Found control(std::string_view bytes, FrameType type);
  Found after_short_header(std::string_view bytes);
  Found read(std::string_view bytes, FrameType type, Header header);
  std::optional<Header> detect_by_text(std::string_view bytes, FrameType type) const;
  std::optional<Header> detect_by_ends(std::string_view bytes) const;

  FrameRules rules_;
  Header header_;
  // The last frame was an empty control frame of 7 bytes, which may have been the beginning of a
  // header of 8.
  std::optional<FrameType> short_header_;
  std::size_t needed_ = 0;
};

// Appends the header of a frame. REQUIRES: `header` is not unknown; `compressed` only with eight.
void append_header(std::string& out, Header header, FrameType type, std::size_t payload,
                   bool compressed = false);

// A whole frame.
std::string encode(Header header, FrameType type, std::string_view payload);

// The payload of our PING: Unix milliseconds, 8 bytes, big-endian.
std::string ping_payload(std::uint64_t unix_ms);

}  // namespace patchbay::wire
