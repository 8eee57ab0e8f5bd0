#include "json/text.h"

#include <algorithm>
#include <cstdint>

#include "core/text.h"
#include "json/plain.h"
#include "json/utf8_block.h"

namespace patchbay::json {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

std::uint32_t four_hex(const char* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = at[i];
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;  // Quote, backslash, slash.
  }
}

// Appends one escape, which begins at `at`, and advances past it; false for an unpaired surrogate.
bool append_escaped(std::string& out, const char*& at, const char* end) {
  if (at[1] != 'u') {
    out += simple_escape(at[1]);
    at += 2;
    return true;
  }
  std::uint32_t point = four_hex(at + 2);
  at += 6;
  bool paired = true;
  if (point >= 0xD800 && point <= 0xDFFF) {
    const bool pair = point < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u';
    const std::uint32_t low = pair ? four_hex(at + 2) : 0;
    if (low >= 0xDC00 && low <= 0xDFFF) {
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      at += 6;
    } else {
      point = 0xFFFD;
      paired = false;
    }
  }
  append_utf8(out, point);
  return paired;
}

// The replacement for a character that a string cannot contain as it is.
void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

// Appends one character beyond ASCII and advances past it; U+FFFD for a byte that begins none.
void append_character(std::string& out, const char*& at, const char* end) {
  const std::size_t length = utf8_length({at, end});
  out.append(length > 0 ? std::string_view(at, length) : kReplacement);
  at += std::max<std::size_t>(length, 1);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto more = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return more(1) ? 2 : 0;
  if ((first & 0xF0) == 0xE0) {
    if (!more(1) || !more(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!more(1) || !more(2) || !more(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

std::size_t utf8_prefix(std::string_view text) {
  const char* const end = text.data() + text.size();
  const auto nowhere = [](UnsignedBlock16) { return Block16{}; };
  const char* at = text.data();
  while (at != end) {
    // Blocks of ASCII first, then blocks of any text, then the rest one character at a time.
    while (end - at >= 16 && is_ascii(at)) at += 16;
    at = skip_utf8(at, end, nowhere);
    if (at == end) break;
    const std::size_t length = utf8_length({at, end});
    if (length == 0) break;
    at += length;
  }
  return static_cast<std::size_t>(at - text.data());
}

bool is_utf8(std::string_view text) { return utf8_prefix(text) == text.size(); }

char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto more = [&](std::size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
  const unsigned char first = byte(0);
  char32_t point = first;
  std::size_t taken = 1;
  if (first >= 0xF0) {
    point = static_cast<char32_t>(first & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3);
    taken = 4;
  } else if (first >= 0xE0) {
    point = static_cast<char32_t>(first & 0x0F) << 12 | more(1) << 6 | more(2);
    taken = 3;
  } else if (first >= 0xC0) {
    point = static_cast<char32_t>(first & 0x1F) << 6 | more(1);
    taken = 2;
  }
  text.remove_prefix(taken);
  return point;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (text[most] & 0xC0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "…";
}

void append_quoted(std::string& out, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const char* special = plain_end(at, end);
  if (special == end) {  // The usual case.
    const std::size_t before = out.size();
    stretch(out, before + text.size() + 2);
    char* const to = out.data() + before;
    to[0] = '"';
    text.copy(to + 1, text.size());
    to[text.size() + 1] = '"';
    return;
  }
  out += '"';
  for (;; special = plain_end(at, end)) {
    out.append(at, static_cast<std::size_t>(special - at));
    at = special;
    if (at == end) break;
    if (static_cast<unsigned char>(*at) < 0x80) {
      append_escape(out, *at++);
      continue;
    }
    const char* const passed = skip_utf8(at, end, needs_a_look);
    if (passed == at) {
      append_character(out, at, end);
    } else {
      out.append(at, passed);
      at = passed;
    }
  }
  out += '"';
}

void append_key(std::string& out, std::string_view text, bool follows) {
  const char* const end = text.data() + text.size();
  if (plain_end(text.data(), end) != end) {
    if (follows) out += ',';
    append_quoted(out, text);
    out += ':';
    return;
  }
  const std::size_t before = out.size();
  stretch(out, before + text.size() + (follows ? 4 : 3));
  char* to = out.data() + before;
  if (follows) *to++ = ',';
  *to++ = '"';
  to += text.copy(to, text.size());
  to[0] = '"';
  to[1] = ':';
}

std::string quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

bool append_unquoted(std::string& out, std::string_view raw) {
  std::string_view inside = raw.substr(1, raw.size() - 2);
  std::size_t plain = inside.find('\\');
  if (plain == std::string_view::npos) {  // The usual case.
    out += inside;
    return true;
  }
  out.reserve(out.size() + inside.size());
  bool paired = true;
  const char* const end = inside.data() + inside.size();
  for (; plain != std::string_view::npos; plain = inside.find('\\')) {
    out += inside.substr(0, plain);
    const char* at = inside.data() + plain;
    paired &= append_escaped(out, at, end);
    inside = {at, end};
  }
  out += inside;
  return paired;
}

Result<std::string> unquote(std::string_view raw) {
  std::string text;
  if (append_unquoted(text, raw)) return text;
  return Error{Code::parse_error, "a string has an unpaired surrogate"};
}

std::string unquote_leniently(std::string_view raw) {
  std::string text;
  append_unquoted(text, raw);
  return text;
}

std::string on_one_line(std::string_view raw) {
  std::string out(raw);
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

}  // namespace patchbay::json
