#include "skills/characters.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "json/text.h"

namespace patchbay {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t count>
bool is_in(const std::array<Range, count>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Capitals, and the distance of each to its lower-case letter.
struct Capitals {
  Range range;
  char32_t distance;
};

constexpr std::array kCapitals{
    Capitals{{U'A', U'Z'}, 0x20},   Capitals{{0xC0, 0xD6}, 0x20},
    Capitals{{0xD8, 0xDE}, 0x20},   Capitals{{0x391, 0x3A1}, 0x20},  // Greek
    Capitals{{0x3A3, 0x3A9}, 0x20}, Capitals{{0x400, 0x40F}, 0x50},  // Cyrillic
    Capitals{{0x410, 0x42F}, 0x20},
};

constexpr std::array kSmall{
    Range{U'a', U'z'},   Range{0xDF, 0xF6},   Range{0xF8, 0xFF},
    Range{0x3B1, 0x3C9}, Range{0x430, 0x45F},
};

// Above ASCII everything except these is taken for a letter.
constexpr std::array kNoLetters{
    Range{0x80, 0xA9},     Range{0xAB, 0xB4},     Range{0xB6, 0xB9},     Range{0xBB, 0xBF},
    Range{0xD7, 0xD7},     Range{0xF7, 0xF7},     Range{0x60C, 0x60D},   Range{0x61B, 0x61F},
    Range{0x6D4, 0x6D4},   Range{0x964, 0x965},   Range{0x2000, 0x206F}, Range{0x20A0, 0x20CF},
    Range{0x2190, 0x2BFF}, Range{0x3000, 0x3004}, Range{0x3008, 0x3020}, Range{0x30FB, 0x30FB},
    Range{0xFE10, 0xFE6F}, Range{0xFEFF, 0xFEFF}, Range{0xFF01, 0xFF0F}, Range{0xFF1A, 0xFF20},
    Range{0xFF3B, 0xFF40}, Range{0xFF5B, 0xFF65}, Range{0xFFF0, 0xFFFF}, Range{0x1F000, 0x1FAFF},
};

constexpr std::array kUnspaced{
    Range{0x2E80, 0x2FDF}, Range{0x3005, 0x3007}, Range{0x3021, 0x30FF}, Range{0x31F0, 0x31FF},
    Range{0x3400, 0x9FFF}, Range{0xF900, 0xFAFF}, Range{0xFF66, 0xFF9F}, Range{0x20000, 0x3FFFF},
};

const Capitals* find_capital(char32_t code) {
  const auto* found = std::ranges::find_if(kCapitals, [&](const Capitals& capitals) {
    return code >= capitals.range.first && code <= capitals.range.last;
  });
  return found == kCapitals.end() ? nullptr : found;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  std::string_view rest = text.substr(at);
  const auto bytes = json::utf8_length(rest);
  if (bytes == 0) return {kReplacement, 1};
  return {json::take_character(rest), bytes};
}

void append_character(std::string& out, char32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_white_space(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

bool is_digit(char32_t code) { return code >= '0' && code <= '9'; }

bool is_in_word(char32_t code) {
  if (code >= 0x80) return !is_in(kNoLetters, code);
  return is_digit(code) || is_upper(code) || is_lower(code);
}

bool is_unspaced(char32_t code) { return code >= 0x2E80 && is_in(kUnspaced, code); }

bool is_upper(char32_t code) { return find_capital(code) != nullptr; }

bool is_lower(char32_t code) { return is_in(kSmall, code); }

char32_t to_lower(char32_t code) {
  const auto* capital = find_capital(code);
  return capital ? code + capital->distance : code;
}

void append_on_one_line(std::string& out, std::string_view text) {
  bool space = false;
  for (const char c : text) {
    if (is_space(c) && !space) out += ' ';
    if (!is_space(c)) out += c;
    space = is_space(c);
  }
}

}  // namespace patchbay
