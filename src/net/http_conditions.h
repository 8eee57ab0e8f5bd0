// Conditional and partial requests (RFC 9110, 13 and 14): whether a client has what it asks for
// already, and which part of it it wants. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "net/http_parse.h"

namespace patchbay::net {

// True if the client has the representation with that entity tag: If-None-Match names it.
bool has_already(const HttpFields& fields, std::string_view etag);

struct ByteRange {
  enum class Kind : std::uint8_t { all, part, none };  // none: beyond the end.

  Kind kind = Kind::all;
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // Included.
};

// What the client wants of `size` bytes. Several ranges, or an If-Range that names another entity
// tag, mean all of it.
ByteRange wanted_range(const HttpFields& fields, std::string_view etag, std::uint64_t size);

}  // namespace patchbay::net
