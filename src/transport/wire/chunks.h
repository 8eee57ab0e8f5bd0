// Messages that are too large for one frame are sent in pieces when both sides have announced
// `chunking`. Each piece is an envelope whose metadata.chunk is {id, index, total}, `id` being the
// id of the whole message; its mcp_payload is {"part": TEXT}, and the texts of all parts, joined,
// are the payload. Pieces of one message arrive in order; those of several may be interleaved.
//
// Pure. Confined to the owner of the connection.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "transport/wire/envelope.h"

namespace patchbay::wire {

struct ChunkLimits {
  std::size_t piece = 256 << 10;   // Bytes of payload in each piece that we send.
  std::size_t message = 64 << 20;  // The largest message that is assembled.
  std::size_t open = 4;            // Messages that may be incomplete at a time.
};

// The envelopes that carry `payload` in pieces. Only the first repeats the heading.
std::vector<std::string> cut(const Heading& heading, std::string_view payload, std::size_t piece);

class ChunkReader {
 public:
  explicit ChunkReader(const ChunkLimits& limits) : limits_(limits) {}

  // Takes a piece. If it was the last of a message, yields that message: its payload is in
  // `memory`, the rest comes from the first piece, with the id of the whole. REQUIRES: piece.chunk.
  Result<std::optional<Envelope>> add(const Envelope& piece, std::string& memory);

  // Bytes stored for incomplete messages.
  std::size_t held() const { return held_; }

 private:
  struct Open {
    Envelope first;
    std::uint32_t next = 0;
    std::uint32_t total = 0;
    std::string text;
  };

  Error give_up(const std::string& id, Error why);

  const ChunkLimits limits_;
  std::map<std::string, Open> open_;
  std::size_t held_ = 0;
};

}  // namespace patchbay::wire
