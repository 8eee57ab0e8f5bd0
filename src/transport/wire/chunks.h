// Messages that are too large for one frame travel in pieces when both sides have said `chunking`.
// Each piece is an envelope of its own whose metadata.chunk says {id, index, total}, `id` being the
// id of the whole message; its mcp_payload is {"part": TEXT}, and the texts of all the parts,
// joined, are the payload that was meant. Pieces of one message come in order; those of several may
// mix.
//
// Pure. Confined to whoever owns the connection.
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
  std::size_t message = 64 << 20;  // The largest message that is put together.
  std::size_t open = 4;            // Messages that may be incomplete at a time.
};

// The envelopes that carry `payload` in pieces. Only the first repeats what the heading says.
std::vector<std::string> cut(const Heading& heading, std::string_view payload, std::size_t piece);

class ChunkReader {
 public:
  explicit ChunkReader(const ChunkLimits& limits) : limits_(limits) {}

  // Takes a piece. When it was the last of a message, that message: its payload is in `memory`, the
  // rest as the first piece said, with the id of the whole. REQUIRES: piece.chunk.
  Result<std::optional<Envelope>> add(const Envelope& piece, std::string& memory);

  // Bytes that are kept for incomplete messages.
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
