// Conditional and partial requests (RFC 9110, 13 and 14): whether a client has what it asks for
// already, whether it wants it still, and which parts of it. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "net/http/syntax/parse.h"

namespace patchbay::net {

// True if the client has the representation with that entity tag: If-None-Match names it.
bool has_already(const HttpFields& fields, std::string_view etag);

// True if the client wants another representation than this one or nothing: If-Match does not name
// it.
bool wants_another(const HttpFields& fields, std::string_view etag);

struct ByteSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // Included.

  std::uint64_t size() const { return last - first + 1; }
};

struct WantedRanges {
  enum class Kind : std::uint8_t { all, parts, none };  // none: all of them beyond the end.

  Kind kind = Kind::all;
  std::vector<ByteSpan> parts = {};  // As they were asked for.
};

// What the client wants of `size` bytes. Ranges that cannot be read, more of them than anybody
// needs, or that add up to more than there is, mean all of it; so does an If-Range that names
// another entity tag.
WantedRanges wanted_ranges(const HttpFields& fields, std::string_view etag, std::uint64_t size);

}  // namespace patchbay::net
