#include "json/schema/regex_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "json/ascii.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

constexpr int kMaxGroups = 64;  // One inside the other.

bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// A class like \d is a set; every other escape is one character.
struct Escape {
  std::optional<CharSet> set;
  char32_t character = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern), rest_(pattern) {}

  Result<RegexSyntax> parse() {
    out_.root = alternation();
    if (fault_.empty() && !rest_.empty()) fail("a parenthesis closes nothing");
    if (!fault_.empty()) return Error{Code::invalid_params, fault_};
    return std::move(out_);
  }

 private:
  using TermId = std::uint32_t;

  TermId fail(std::string_view reason) {
    if (fault_.empty()) {
      fault_ = fmt::format("{} (at byte {})", reason, pattern_.size() - rest_.size());
    }
    rest_ = {};
    return 0;
  }
  void refuse(std::string_view reason) {
    if (out_.refused.empty()) out_.refused = reason;
  }

  bool take(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  bool at(char c) const { return rest_.starts_with(c); }

  TermId add(Term term) {
    out_.nodes.push_back(std::move(term));
    return static_cast<TermId>(out_.nodes.size() - 1);
  }
  TermId add(CharSet set) {
    const auto [known, fresh] =
        sets_.try_emplace(std::move(set), static_cast<std::uint32_t>(out_.sets.size()));
    if (fresh) out_.sets.push_back(known->first);
    return add({.kind = Term::Kind::characters, .set = known->second});
  }
  TermId add(char32_t c) { return add(CharSet{{c, c}}); }

  TermId alternation();
  TermId sequence();
  TermId atom();
  TermId group();
  TermId look_around(std::string_view kind);
  TermId escaped_atom();
  TermId quantified(TermId term);
  bool counted(std::uint32_t& least, std::uint32_t& most);
  std::optional<std::uint32_t> number();
  bool group_name();
  TermId character_class();
  std::optional<Escape> class_member();
  Escape escape();
  Escape letter_escape(char32_t c);
  CharSet property(bool inverted);
  char32_t hex(int digits);
  char32_t unicode();

  const std::string_view pattern_;
  std::string_view rest_;
  RegexSyntax out_;
  std::map<CharSet, std::uint32_t> sets_;
  std::string fault_;
  int depth_ = 0;
};

Parser::TermId Parser::alternation() {
  Term out{.kind = Term::Kind::alternation};
  do {
    out.parts.push_back(sequence());
  } while (take("|"));
  return out.parts.size() == 1 ? out.parts.front() : add(std::move(out));
}

Parser::TermId Parser::sequence() {
  Term out{.kind = Term::Kind::sequence};
  while (!rest_.empty() && !at('|') && !at(')')) out.parts.push_back(atom());
  return add(std::move(out));
}

Parser::TermId Parser::atom() {
  if (take("^")) return add({.kind = Term::Kind::begin});
  if (take("$")) return add({.kind = Term::Kind::end});
  if (take("\\b")) return add({.kind = Term::Kind::boundary});
  if (take("\\B")) return add({.kind = Term::Kind::no_boundary});
  if (at('*') || at('+') || at('?')) return fail("there is nothing to repeat");
  if (take("(")) return group();
  if (take("[")) return quantified(character_class());
  if (take(".")) return quantified(add(line_characters()));
  if (take("\\")) return quantified(escaped_atom());
  return quantified(add(take_character(rest_)));
}

Parser::TermId Parser::group() {
  if (++depth_ > kMaxGroups) return fail("the groups are nested too deeply");
  if (rest_.starts_with("?") && !rest_.starts_with("?:")) {
    for (const std::string_view look : {"?=", "?!", "?<=", "?<!"}) {
      if (take(look)) return look_around(look);
    }
    if (!take("?<") || !group_name()) return fail("an unknown kind of group");
  } else {
    take("?:");
  }
  const TermId inside = alternation();
  if (!take(")")) return fail("a parenthesis is not closed");
  --depth_;
  return quantified(inside);
}

Parser::TermId Parser::look_around(std::string_view kind) {
  const TermId inside = alternation();
  if (!take(")")) return fail("a parenthesis is not closed");
  --depth_;
  return quantified(add({.kind = Term::Kind::look,
                         .parts = {inside},
                         .behind = kind.contains('<'),
                         .negated = kind.contains('!')}));
}

bool Parser::group_name() {
  const auto end = rest_.find('>');
  if (end == std::string_view::npos || end == 0) return false;
  const std::string_view name = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return !is_digit(name.front()) && std::ranges::all_of(name, [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$' || is_beyond_ascii(c);
  });
}

Parser::TermId Parser::escaped_atom() {
  const bool by_number = !rest_.empty() && rest_.front() >= '1' && rest_.front() <= '9';
  if (by_number || take("k<")) {
    if (by_number ? !number() : !group_name()) return fail("a group's name is expected");
    refuse("it refers back to a group, which linear time does not allow");
    return add(Term{});
  }
  Escape found = escape();
  return found.set ? add(*std::move(found.set)) : add(found.character);
}

// The term, repeated as the following quantifier requires.
Parser::TermId Parser::quantified(TermId term) {
  std::uint32_t least = 0;
  std::uint32_t most = Term::kUnbounded;
  if (take("+")) {
    least = 1;
  } else if (take("?")) {
    most = 1;
  } else if (!take("*") && !counted(least, most)) {
    return term;
  }
  if (least > most) return fail("a repeat has its bounds the wrong way round");
  take("?");  // Whether it is greedy makes no difference to whether it matches.
  return add({.kind = Term::Kind::repeat, .least = least, .most = most, .parts = {term}});
}

// {2}, {2,} or {2,5}; a brace that is none of these is itself.
bool Parser::counted(std::uint32_t& least, std::uint32_t& most) {
  const std::string_view before = rest_;
  if (take("{")) {
    if (const auto low = number()) {
      least = most = *low;
      if (take(",")) most = number().value_or(Term::kUnbounded);
      if (take("}")) return true;
    }
  }
  rest_ = before;
  least = 0;
  most = Term::kUnbounded;
  return false;
}

std::optional<std::uint32_t> Parser::number() {
  if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
  std::uint64_t value = 0;
  while (!rest_.empty() && is_digit(rest_.front())) {
    value = std::min<std::uint64_t>(value * 10 + static_cast<unsigned>(rest_.front() - '0'),
                                    Term::kUnbounded - 1);
    rest_.remove_prefix(1);
  }
  return static_cast<std::uint32_t>(value);
}

Parser::TermId Parser::character_class() {
  const bool inverted = take("^");
  CharSet set;
  while (!take("]")) {
    const auto first = class_member();
    if (!first) return fail("a bracket is not closed");
    const bool range = rest_.starts_with("-") && !rest_.starts_with("-]");
    if (first->set) {
      set.add(*first->set);
      continue;
    }
    if (!range) {
      set.add(first->character, first->character);
      continue;
    }
    take("-");
    const auto last = class_member();
    if (!last) return fail("a bracket is not closed");
    if (last->set) return fail("a range cannot end with a class");
    if (last->character < first->character) return fail("a range is out of order");
    set.add(first->character, last->character);
  }
  return add(inverted ? set.inverted() : std::move(set));
}

std::optional<Escape> Parser::class_member() {
  if (rest_.empty()) return std::nullopt;
  if (take("\\b")) return Escape{.set = {}, .character = '\b'};
  if (take("\\")) return escape();
  return Escape{.set = {}, .character = take_character(rest_)};
}

// The part after a backslash.
Escape Parser::escape() {
  if (rest_.empty()) {
    fail("the pattern ends with a backslash");
    return {};
  }
  const char32_t c = take_character(rest_);
  if (is_letter(c)) return letter_escape(c);
  if (c == '0' && (rest_.empty() || !is_digit(rest_.front()))) return {};
  if (is_digit(c)) fail("a number cannot be escaped here");
  return {.set = {}, .character = c};
}

Escape Parser::letter_escape(char32_t c) {
  const auto one = [](char32_t character) { return Escape{.set = {}, .character = character}; };
  switch (c) {
    case 'd':
      return {.set = digit_characters()};
    case 'D':
      return {.set = digit_characters().inverted()};
    case 'w':
      return {.set = word_characters()};
    case 'W':
      return {.set = word_characters().inverted()};
    case 's':
      return {.set = space_characters()};
    case 'S':
      return {.set = space_characters().inverted()};
    case 'p':
    case 'P':
      return {.set = property(c == 'P')};
    case 't':
      return one('\t');
    case 'n':
      return one('\n');
    case 'v':
      return one('\v');
    case 'f':
      return one('\f');
    case 'r':
      return one('\r');
    case 'x':
      return one(hex(2));
    case 'u':
      return one(unicode());
    case 'c':
      if (!rest_.empty() && is_letter(rest_.front())) {
        return one(take_character(rest_) & 0x1F);
      }
      fail("\\c needs a letter");
      return {};
    default:
      fail("an unknown escape");
      return {};
  }
}

CharSet Parser::property(bool inverted) {
  const auto end = rest_.find('}');
  if (!rest_.starts_with('{') || end == std::string_view::npos) {
    fail("\\p needs the name of a property in braces");
    return {};
  }
  const std::string_view name = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  const auto set = characters_of_property(name);
  if (!set) {
    refuse(fmt::format("the property {} of Unicode is not known here", shortened(name, 80)));
    return {};
  }
  return inverted ? set->inverted() : *set;
}

char32_t Parser::hex(int digits) {
  char32_t value = 0;
  for (int i = 0; i < digits; ++i) {
    const int digit = rest_.empty() ? -1 : hex_value(rest_.front());
    if (digit < 0) {
      fail("a hexadecimal digit is expected");
      return 0;
    }
    value = value << 4 | static_cast<char32_t>(digit);
    rest_.remove_prefix(1);
  }
  return value;
}

// \uXXXX, two of them for a character beyond the first plane, or \u{XXXXX}.
char32_t Parser::unicode() {
  if (take("{")) {
    char32_t value = 0;
    do {
      value = value << 4 | hex(1);
    } while (!rest_.empty() && !at('}') && value <= kLastCharacter);
    if (!take("}") || value > kLastCharacter) fail("\\u{} names no character");
    return value;
  }
  const char32_t high = hex(4);
  const std::string_view before = rest_;
  if (is_high_surrogate(high) && take("\\u") && !at('{')) {
    const char32_t low = hex(4);
    if (is_low_surrogate(low)) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    if (fault_.empty()) rest_ = before;
    return high;
  }
  if (fault_.empty()) rest_ = before;
  return high;
}

}  // namespace

Result<RegexSyntax> parse_regex(std::string_view pattern) { return Parser(pattern).parse(); }

}  // namespace patchbay::json
