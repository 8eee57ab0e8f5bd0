#include "json/invisible.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "json/char_set.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

// clang-format off
constexpr CharRange kInvisible[] = {
    {0x00, 0x08}, {0x0B, 0x1F},  // Control characters except tab and line feed.
    {0x7F, 0x9F},                 // DEL, and the second set of control characters.
    {0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069},  // Direction of text.
    {0x2028, 0x2029},             // Line and paragraph separator.
    {0xFEFF, 0xFEFF},             // Byte order mark.
    {0xE0000, 0xE007F},  // Tags, which repeat ASCII invisibly.
};
// clang-format on

bool is_invisible(char32_t c) {
  return std::ranges::any_of(
      kInvisible, [c](const CharRange& range) { return c >= range.first && c <= range.last; });
}

// Most text is printable ASCII.
bool is_plain(char c) { return (c >= ' ' && c < 0x7F) || c == '\n' || c == '\t'; }

void append_escape(std::string& out, char32_t c) {
  auto at = std::back_inserter(out);
  if (c <= 0xFFFF) {
    fmt::format_to(at, "\\u{:04x}", static_cast<std::uint32_t>(c));
    return;
  }
  const auto rest = static_cast<std::uint32_t>(c) - 0x10000;
  fmt::format_to(at, "\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto* const odd = std::ranges::find_if_not(text, is_plain);
    const auto plain = static_cast<std::size_t>(odd - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view raw = text.substr(0, length);
    const char32_t c = take_character(text);
    if (is_invisible(c)) {
      append_escape(out, c);
    } else {
      out += raw;
    }
  }
  return out;
}

void escape_invisible(std::string& text, std::size_t begin) {
  const std::string_view tail = std::string_view(text).substr(begin);
  if (std::ranges::all_of(tail, is_plain)) return;
  const std::string escaped = visible(tail);
  text.resize(begin);
  text += escaped;
}

}  // namespace patchbay::json
