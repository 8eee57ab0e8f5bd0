#include "json/text.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

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

// Appends the text of a JSON string slice; false if U+FFFD had to stand in for an unpaired
// surrogate.
bool decode(std::string_view raw, std::string& out) {
  bool paired = true;
  const char* at = raw.data() + 1;
  const char* const end = raw.data() + raw.size() - 1;
  out.reserve(static_cast<std::size_t>(end - at));
  while (at < end) {
    if (*at != '\\') {
      const char* const from = at;
      at = std::max(plain_end(at, end), at + 1);
      out.append(from, at);
      continue;
    }
    if (at[1] != 'u') {
      out += simple_escape(at[1]);
      at += 2;
      continue;
    }
    std::uint32_t point = four_hex(at + 2);
    at += 6;
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
  }
  return paired;
}

}  // namespace

// The first byte from `at` on that needs a look inside a string: a quote, a backslash, a control
// character or a byte beyond ASCII.
const char* plain_end(const char* at, const char* end) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(' ');
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Signed comparison: bytes beyond ASCII are negative, so they are below a space too.
    const __m128i special =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                     _mm_cmplt_epi8(block, space));
    if (const int mask = _mm_movemask_epi8(special)) {
      return at + std::countr_zero(static_cast<unsigned>(mask));
    }
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ') ++at;
  return at;
}

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

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

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
  out += '"';
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(plain_end(text.data(), text.data() + text.size()) - text.data());
    if (plain > 0) {
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    std::size_t taken = 1;
    if (byte >= 0x80) {
      taken = utf8_length(text);
      if (taken == 0) {
        out += "\xEF\xBF\xBD";
        taken = 1;
      } else {
        out.append(text.substr(0, taken));
      }
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte >= 0x20) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
    text.remove_prefix(taken);
  }
  out += '"';
}

std::string quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

Result<std::string> unquote(std::string_view raw) {
  std::string text;
  if (!decode(raw, text)) return Error{Code::parse_error, "a string has an unpaired surrogate"};
  return text;
}

std::string unquote_leniently(std::string_view raw) {
  std::string text;
  decode(raw, text);
  return text;
}

std::string on_one_line(std::string_view raw) {
  std::string out(raw);
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

}  // namespace patchbay::json
