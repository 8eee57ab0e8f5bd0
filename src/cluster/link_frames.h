// What nodes send each other when one forwards a request to another: the payloads of DATA frames of
// the wire protocol on one connection (a link). Each belongs to a stream, which is one request and
// its response.
//
// Pure: bytes in, values out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/principal.h"

namespace patchbay::cluster {

enum class LinkFrame : std::uint8_t {
  // From the node that forwards.
  request = 1,  // The first piece of a request.
  body = 2,     // A further piece of its body.
  left = 3,     // The client has disconnected.
  stop = 4,     // The node stops: a stream without a call should end.
  credit = 5,   // Bytes that the client has taken.
  // From the node that answers.
  head = 6,      // A response begins: status and header fields.
  data = 7,      // A piece of its body.
  end = 8,       // The response is complete...
  cut_off = 9,   // ...or ends here, incomplete.
  refused = 10,  // Nothing of the request has run.
};

// Bytes of a body in one frame, so that streams take turns.
inline constexpr std::size_t kPiece = 64 * 1024;
// Bytes of a response that are on their way before the client has taken some of them.
inline constexpr std::size_t kWindow = 512 * 1024;

struct Payload {
  LinkFrame kind = LinkFrame::request;
  std::uint32_t stream = 0;
  std::string_view rest;
};
// None: it is none of these.
std::optional<Payload> read_payload(std::string_view payload);
std::string begin_payload(LinkFrame kind, std::uint32_t stream);

// The rest of `request`; what follows is the first piece of the body.
struct RequestFrame {
  std::uint64_t run = 0;         // The node that should answer.
  std::uint64_t body_size = 0;   // Of all pieces.
  bool secure = false;           // The client's connection has TLS.
  std::string_view caller = {};  // See text_of().
  std::string_view ip = {};      // The address of the client.
  std::string_view head = {};    // The head of the request, as it is in HTTP/1.1.
  std::string_view body = {};
};
void append(std::string& out, const RequestFrame& frame);
std::optional<RequestFrame> read_request(std::string_view rest);

// The rest of `head`; what follows is the first piece of the body.
struct HeadFrame {
  std::uint16_t status = 200;
  bool streams = false;         // An event stream, whose end is not known.
  std::uint64_t body_size = 0;  // If it is not one.
  std::string_view type = {};
  std::string_view fields = {};  // Header lines, each with its CRLF.
  std::string_view body = {};
};
void append(std::string& out, const HeadFrame& frame);
std::optional<HeadFrame> read_head(std::string_view rest);

// The rest of `credit`: a number of bytes. Of `refused`: the node that has the session; 0: retry.
void append(std::string& out, std::uint64_t number);
std::optional<std::uint64_t> read_number(std::string_view rest);

// A caller as text, and back. `standing` is what vouches for it here: see Principal::known_by.
std::string text_of(const Principal& caller);
std::optional<Principal> read_caller(std::string_view text,
                                     const std::shared_ptr<const void>& standing);

}  // namespace patchbay::cluster
