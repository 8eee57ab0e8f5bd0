// Small helpers for text that is mostly ASCII. Pure; usable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Without surrounding white space.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// A to Z in lower case, everything else unchanged, so that offsets stay the same.
constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

// Changes the size without initialising new bytes, for callers that overwrite them.
inline void stretch(std::string& text, std::size_t size) {
  // libstdc++ 12 passes its capacity, not `size`, when it had to grow.
  text.resize_and_overwrite(size, [size](char*, std::size_t) { return size; });
}

}  // namespace patchbay
