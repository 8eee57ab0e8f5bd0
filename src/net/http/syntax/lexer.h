// The smallest parts of HTTP header values (RFC 9110, 5.6), taken from the front of a text. Each
// function returns false and takes nothing if the text does not begin with that part. Pure.
#pragma once

#include <string_view>

#include "core/http_token.h"

namespace patchbay::net {

inline void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

inline bool take_char(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

inline bool take_token(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && kTokenBytes[static_cast<unsigned char>(text[size])]) ++size;
  text.remove_prefix(size);
  return size > 0;
}

// A quoted string, in which a backslash escapes the next character.
inline bool take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return false;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      text.remove_prefix(at + 1);
      return true;
    }
    if (c == '\\') ++at;
    if (at >= text.size()) return false;
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) return false;
  }
  return false;
}

}  // namespace patchbay::net
