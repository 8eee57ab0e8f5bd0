// Checks text beyond ASCII 16 bytes at a time: it must be UTF-8 without overlong forms, surrogates
// and characters above U+10FFFF. A fault, and the last few bytes of a text, are left for a check
// byte by byte.
//
// Pure. Uses comparisons only, which every processor with vectors has; the tables of the usual
// algorithm need a shuffle that the oldest x86-64 lacks.
#pragma once

#include <bit>

#include "core/byte_block.h"

namespace patchbay::json {

// 16 bytes, and the 16 that begin one, two and three bytes before them.
struct Utf8Window {
  UnsignedBlock16 now;
  UnsignedBlock16 one_back;
  UnsignedBlock16 two_back;
  UnsignedBlock16 three_back;

  // For bytes that no incomplete character precedes.
  static Utf8Window first(const char* at) {
    const auto now = load_block<UnsignedBlock16>(at);
    return {now, shift_in_zeros<1>(now), shift_in_zeros<2>(now), shift_in_zeros<3>(now)};
  }
  // REQUIRES: there are three bytes before `at`.
  static Utf8Window next(const char* at) {
    return {load_block<UnsignedBlock16>(at), load_block<UnsignedBlock16>(at - 1),
            load_block<UnsignedBlock16>(at - 2), load_block<UnsignedBlock16>(at - 3)};
  }
};

// The positions at which the bytes violate UTF-8 (RFC 3629, section 4).
inline Block16 utf8_faults(const Utf8Window& window) {
  const auto& [now, one_back, two_back, three_back] = window;
  // Signed, continuation bytes are the lowest: -128 for 0x80 to -65 for 0xBF.
  const auto low = reinterpret_cast<Block16>(now);
  const Block16 continues = low < -64;
  const Block16 must_continue = (one_back >= 0xC0) | (two_back >= 0xE0) | (three_back >= 0xF0);
  const Block16 never = ((now & 0xFE) == 0xC0) | (now >= 0xF5);
  const Block16 from_a0 = low >= -96;  // For continuation bytes; irrelevant for others.
  const Block16 from_90 = low >= -112;
  const Block16 overlong = ((one_back == 0xE0) & ~from_a0) | ((one_back == 0xF0) & ~from_90);
  const Block16 surrogate = (one_back == 0xED) & from_a0;
  const Block16 beyond = (one_back == 0xF4) & from_90;
  return (continues ^ must_continue) | never | overlong | surrogate | beyond;
}

// The start of the character that reaches up to `at` or beyond; `at` if there is none. Looks back
// no further than `from`.
inline const char* character_start(const char* from, const char* at) {
  const auto is_lead = [&](int back, unsigned char least) {
    return at - from >= back && static_cast<unsigned char>(at[-back]) >= least;
  };
  if (is_lead(1, 0xC0)) return at - 1;
  if (is_lead(2, 0xE0)) return at - 2;
  if (is_lead(3, 0xF0)) return at - 3;
  return at;
}

// Of 16 bytes.
inline bool is_ascii(const char* at) { return bits_of(load_block<Block16>(at) < 0) == 0; }

// Passes whole characters from `from` on that are UTF-8 and contain no byte that `stops` marks.
// Ends at such a byte, or shortly before a fault, the end or 16 bytes of ASCII: the caller
// continues from there one character at a time, or faster over ASCII.
template <class Stops>
const char* skip_utf8(const char* const from, const char* end, Stops stops) {
  if (end - from < 16) return from;
  auto window = Utf8Window::first(from);
  for (const char* at = from;; window = Utf8Window::next(at)) {
    const unsigned wrong = bits_of(utf8_faults(window));
    const unsigned stop = bits_of(stops(window.now));
    if (wrong | stop) {
      // A stop is ASCII: a character that it truncates is a fault at that position.
      const unsigned first_wrong = static_cast<unsigned>(std::countr_zero(wrong));
      const unsigned first_stop = static_cast<unsigned>(std::countr_zero(stop));
      return first_stop < first_wrong ? at + first_stop : character_start(from, at);
    }
    at += 16;
    if (end - at < 16 || is_ascii(at)) return character_start(from, at);
  }
}

}  // namespace patchbay::json
