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

// The same for the 8 bytes at `at`.
inline unsigned special_in_eight(const char* at) {
  return special_bytes(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))) & 0xFF;
}

// The first byte of [at, end) that needs a look in a JSON string: a quote, a backslash, a control
// character, or a byte beyond ASCII. `end` if there is none.
//
// What is left over after whole blocks is looked at together with some of what came before it, not
// byte by byte.
inline const char* plain_end(const char* at, const char* end) {
  const char* const begin = at;
  const auto first_of_sixteen = [end](const char* from) {
    const unsigned special = special_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    return special ? from + std::countr_zero(special) : end;
  };
  for (; end - at >= 16; at += 16) {
    if (const char* const found = first_of_sixteen(at); found != end) return found;
  }
  if (end - begin >= 16) return at == end ? end : first_of_sixteen(end - 16);
  if (end - at >= 8) {
    if (const unsigned special = special_in_eight(at)) return at + std::countr_zero(special);
    const unsigned special = special_in_eight(end - 8);
    return special ? end - 8 + std::countr_zero(special) : end;
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ') ++at;
  return at;
}

}  // namespace patchbay::json
