// Kinds of ASCII characters, whatever the locale; for bytes and for whole characters.
#pragma once

namespace patchbay::json {

template <class Char>
constexpr bool is_digit(Char c) {
  return c >= '0' && c <= '9';
}

template <class Char>
constexpr bool is_letter(Char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <class Char>
constexpr bool is_hex(Char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

constexpr bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

}  // namespace patchbay::json
