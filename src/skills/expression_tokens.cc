#include "skills/expression_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "json/text.h"

namespace patchbay::math {
namespace {

using Kind = Token::Kind;

struct Spelling {
  std::string_view written;
  char symbol;
};

// Alternative spellings of symbols.
constexpr std::array kSpellings{
    Spelling{"**", '^'},
    Spelling{"×", '*'},
    Spelling{"÷", '/'},
    Spelling{"−", '-'},
};
constexpr std::string_view kSymbols = "+-*/%^!(),";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool begins_number(std::string_view rest) {
  return is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]));
}

// A whole number that a double holds exactly, which most are; empty for any other.
std::optional<Token> short_number(std::string_view rest) {
  constexpr std::size_t kExactDigits = 15;
  std::int64_t value = 0;
  std::size_t length = 0;
  for (; length < rest.size() && is_digit(rest[length]); ++length) {
    if (length == kExactDigits) return std::nullopt;
    value = value * 10 + (rest[length] - '0');
  }
  const char next = length < rest.size() ? rest[length] : ' ';
  if (length == 0 || next == '.' || next == 'e' || next == 'E') return std::nullopt;
  return Token{Kind::number, 0, static_cast<double>(value), rest.substr(0, length)};
}

Token number(std::string_view rest) {
  if (const auto whole = short_number(rest)) return *whole;
  double value = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const auto kind = fault == std::errc() ? Kind::number : Kind::out_of_range;
  return {kind, 0, value, rest.substr(0, static_cast<std::size_t>(end - rest.data()))};
}

Token name(std::string_view rest) {
  std::size_t length = 1;
  while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
  return {Kind::name, 0, 0, rest.substr(0, length)};
}

Token symbol(std::string_view rest) {
  const char first = rest.front();
  const bool plain = kSymbols.contains(first);
  if (!plain || first == '*') {
    for (const auto& [written, meant] : kSpellings) {
      if (rest.starts_with(written)) {
        return {Kind::symbol, meant, 0, rest.substr(0, written.size())};
      }
    }
  }
  if (plain) return {Kind::symbol, first, 0, rest.substr(0, 1)};
  const auto length = std::max<std::size_t>(1, json::utf8_length(rest));
  return {Kind::unknown, 0, 0, rest.substr(0, length)};
}

}  // namespace

Token TokenReader::next() {
  while (at_ < expression_.size() && is_space(expression_[at_])) ++at_;
  const auto rest = expression_.substr(at_);
  if (rest.empty()) return {Kind::end, 0, 0, rest};
  const auto token = begins_number(rest)  ? number(rest)
                     : is_letter(rest[0]) ? name(rest)
                                          : symbol(rest);
  at_ += token.text.size();
  return token;
}

std::size_t TokenReader::position(const Token& token) const {
  const auto bytes = static_cast<std::size_t>(token.text.data() - expression_.data());
  const auto begins_character = [](char c) { return (c & 0xC0) != 0x80; };
  return 1 + static_cast<std::size_t>(
                 std::ranges::count_if(expression_.substr(0, bytes), begins_character));
}

}  // namespace patchbay::math
