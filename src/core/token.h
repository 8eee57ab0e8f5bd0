// Tokens of HTTP (RFC 9110): the names of headers and the like, and how they are compared. Facts
// only; usable from any thread.
#pragma once

#include <algorithm>
#include <string_view>

namespace patchbay {

constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Case-insensitive, ASCII.
constexpr bool same_token(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (lower_case(c) >= 'a' && lower_case(c) <= 'z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

}  // namespace patchbay
