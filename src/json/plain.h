// Where the plain part of a JSON string ends: what both reading and writing JSON do most. Pure.
#pragma once

#include <emmintrin.h>

#include <bit>

namespace patchbay::json {

// One bit for each of 16 bytes that needs a look inside a string.
inline unsigned special_bytes(__m128i block) {
  // Signed comparison: bytes beyond ASCII are negative, so they are below a space too.
  const __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                                       _mm_cmplt_epi8(block, _mm_set1_epi8(' ')));
  return static_cast<unsigned>(_mm_movemask_epi8(special));
}

// The first byte of [at, end) that needs a look in a JSON string: a quote, a backslash, a control
// character, or a byte beyond ASCII. `end` if there is none.
inline const char* plain_end(const char* at, const char* end) {
  for (; end - at >= 16; at += 16) {
    const auto block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    if (const unsigned special = special_bytes(block)) return at + std::countr_zero(special);
  }
  if (end - at >= 8) {
    const auto half = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
    if (const unsigned special = special_bytes(half) & 0xFF) return at + std::countr_zero(special);
    at += 8;
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ') ++at;
  return at;
}

}  // namespace patchbay::json
