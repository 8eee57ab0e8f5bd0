// Finds the end of the plain part of a JSON string, the most frequent operation of reading and
// writing JSON. Pure.
#pragma once

#include <bit>

#include "core/byte_block.h"

namespace patchbay::json {

// One bit for each byte of the block at `at` that needs attention inside a string.
template <class Block>
unsigned special_bytes(const char* at) {
  const Block block = load_block<Block>(at);
  // Signed comparison: bytes beyond ASCII are negative, so they are below a space too.
  return bits_of((block == '"') | (block == '\\') | (block < ' '));
}

// The ASCII bytes of a block that need attention: the same, except that bytes beyond ASCII do not
// count.
inline Block16 needs_a_look(UnsignedBlock16 block) {
  return (block == '"') | (block == '\\') | (block < ' ');
}

// The first byte of [at, end) that needs attention in a JSON string: a quote, a backslash, a
// control character, or a byte beyond ASCII. `end` if there is none.
//
// The rest after whole blocks is checked in a block that overlaps the one before, not byte by byte.
inline const char* plain_end(const char* at, const char* end) {
  const char* const begin = at;
  const auto first_of_sixteen = [end](const char* from) {
    const unsigned special = special_bytes<Block16>(from);
    return special ? from + std::countr_zero(special) : end;
  };
  for (; end - at >= 16; at += 16) {
    if (const char* const found = first_of_sixteen(at); found != end) return found;
  }
  if (end - begin >= 16) return at == end ? end : first_of_sixteen(end - 16);
  if (end - at >= 8) {
    if (const unsigned special = special_bytes<Block8>(at)) return at + std::countr_zero(special);
    const unsigned special = special_bytes<Block8>(end - 8);
    return special ? end - 8 + std::countr_zero(special) : end;
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ') ++at;
  return at;
}

}  // namespace patchbay::json
