// An Envelope is one message of the wire protocol: who sends it, when, to which namespace, with
// which token, and the MCP message or the error that it carries. The same on WebSocket and on TCP.
//
//   {"id":"…","timestamp":"2024-01-15T10:30:45.123Z","source":"local-router",
//    "mcp_payload":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}
//
// Read in one pass: the payload is a raw slice of the text, which outlives the envelope. Values
// only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::wire {

using WallTime = std::chrono::system_clock::time_point;

inline constexpr std::string_view kGateway = "gateway";  // The source in envelopes of a server...
inline constexpr std::string_view kRouter = "local-router";  // ...and a client.

inline constexpr std::size_t kMaxName = 255;  // Bytes of an id, a source, a namespace.
inline constexpr std::size_t kMaxToken = 8 << 10;

// One of the pieces of a message; see chunks.h.
struct ChunkMark {
  std::string id;  // Of the whole message.
  std::uint32_t index = 0;
  std::uint32_t total = 0;
};

struct Envelope {
  std::string id;  // A number is stored as its digits.
  WallTime time;
  std::string source;
  std::string target_namespace;  // Empty: none.
  std::string auth_token;        // Without "Bearer "; empty: none.
  std::string correlation_id;    // Empty: none.
  std::string_view metadata;     // Raw object; empty: none.
  std::optional<ChunkMark> chunk;

  // Raw objects. One of them, or, from a peer with that error style, both.
  std::string_view payload;
  std::string_view error;
};

// Parses `text`. On failure the code is parse_error or invalid_request, the message names the field
// and the problem, and envelope.id is set if it could be read. Unknown fields are ignored.
Result<void> parse(std::string_view text, Envelope& envelope);

// The fields around a message that we write. Views that outlive the call.
struct Heading {
  std::string_view source = kGateway;
  std::string_view correlation_id = {};    // Empty: none.
  std::string_view target_namespace = {};  // Empty: none.
  std::string_view auth_token = {};        // Without "Bearer "; empty: none.
  std::string_view metadata = {};          // Raw object; empty: none.
  std::string_view id = {};                // Empty: a new one is made.
  std::optional<WallTime> time = {};       // None: now.
};

// Appends the whole text to `out`, with `payload` (a raw object) in it.
void write_to(std::string& out, const Heading& heading, std::string_view payload);
std::string write(const Heading& heading, std::string_view payload);

// The same with a raw error object (see fault.h); with both, if `payload` is not empty.
std::string write_error(const Heading& heading, std::string_view error,
                        std::string_view payload = {});

// The namespace of a method, by the protocol: `initialize` and `tools/…` are system, `name.method`
// is name, everything else is default.
std::string_view namespace_of(std::string_view method);

// `2024-01-15T10:30:45.123Z`.
std::string timestamp(WallTime time);

// RFC 3339 with 0 to 9 digits of a second and any offset; none if it is something else.
std::optional<WallTime> parse_timestamp(std::string_view text);

}  // namespace patchbay::wire
