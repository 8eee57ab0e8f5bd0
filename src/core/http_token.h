// HTTP tokens (RFC 9110), such as names of headers, and their comparison. Facts only; usable from
// any thread.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace patchbay {

constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Case-insensitive, ASCII. Most names are identical, which is checked first.
constexpr bool same_token(std::string_view a, std::string_view b) {
  return a == b || std::ranges::equal(a, b, {}, lower_case, lower_case);
}

// A table, since every header field of every request is checked.
inline constexpr auto kTokenBytes = [] {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    table[static_cast<std::size_t>(c)] = true;
  return table;
}();

constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return kTokenBytes[static_cast<unsigned char>(c)];
  });
}

}  // namespace patchbay
