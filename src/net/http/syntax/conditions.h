// Conditional and partial requests (RFC 9110, 13 and 14): whether the client already has the
// representation, whether it still applies, and which parts it requests. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "net/http/syntax/parse.h"

namespace patchbay::net {

// True if the client has the representation with that entity tag: If-None-Match names it.
bool has_already(const HttpFields& fields, std::string_view etag);

// True if If-Match is present and does not name this representation.
bool wants_another(const HttpFields& fields, std::string_view etag);

struct ByteSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // Included.

  std::uint64_t size() const { return last - first + 1; }
};

struct RequestedRanges {
  enum class Kind : std::uint8_t { all, parts, none };  // none: all ranges are past the end.

  Kind kind = Kind::all;
  std::vector<ByteSpan> parts = {};  // In the order of the request.
};

// The ranges that the client requests of `size` bytes. Malformed ranges, too many of them, or
// ranges that add up to more than `size` mean the whole; so does an If-Range with another entity
// tag.
RequestedRanges requested_ranges(const HttpFields& fields, std::string_view etag,
                                 std::uint64_t size);

}  // namespace patchbay::net
