#include "json/char_set.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace patchbay::json {
namespace {

struct CategoryRun {
  std::uint32_t first;
  std::uint32_t last;
  char category[3];
};

// Every assigned character of Unicode; written by tools/unicode_table during the build.
constexpr CategoryRun kRuns[] = {
#include "json/unicode_table.inc"
};

// A name stands for all categories that begin with the letters beside it.
struct CategoryName {
  std::string_view name;
  std::string_view categories;
};

constexpr CategoryName kNames[] = {
    {"Letter", "L"},
    {"Lowercase_Letter", "Ll"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Titlecase_Letter", "Lt"},
    {"Uppercase_Letter", "Lu"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Close_Punctuation", "Pe"},
    {"Final_Punctuation", "Pf"},
    {"Initial_Punctuation", "Pi"},
    {"Other_Punctuation", "Po"},
    {"Open_Punctuation", "Ps"},
    {"Symbol", "S"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Math_Symbol", "Sm"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Space_Separator", "Zs"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Private_Use", "Co"},
    {"Surrogate", "Cs"},
};

CharSet with_category(std::string_view prefix) {
  CharSet set;
  for (const CategoryRun& run : kRuns) {
    if (std::string_view(run.category).starts_with(prefix)) set.add(run.first, run.last);
  }
  return set;
}

}  // namespace

CharSet::CharSet(std::initializer_list<CharRange> ranges) {
  for (const CharRange& range : ranges) add(range.first, range.last);
}

void CharSet::add(char32_t first, char32_t last) {
  // All ranges that overlap the new one or touch it melt into it. Mostly it comes at the end.
  auto from = ranges_.end();
  while (from != ranges_.begin() && std::prev(from)->last + 1 >= first) --from;
  auto to = from;
  while (to != ranges_.end() && to->first <= last + 1) {
    first = std::min(first, to->first);
    last = std::max(last, to->last);
    ++to;
  }
  from = ranges_.erase(from, to);
  ranges_.insert(from, {first, last});
}

void CharSet::add(const CharSet& other) {
  for (const CharRange& range : other.ranges_) add(range.first, range.last);
}

CharSet CharSet::inverted() const {
  CharSet out;
  char32_t from = 0;
  for (const CharRange& range : ranges_) {
    if (range.first > from) out.ranges_.push_back({from, range.first - 1});
    from = range.last + 1;
  }
  if (from <= kLastCharacter) out.ranges_.push_back({from, kLastCharacter});
  return out;
}

bool CharSet::has(char32_t c) const {
  const auto after = std::ranges::upper_bound(ranges_, c, {}, &CharRange::first);
  return after != ranges_.begin() && std::prev(after)->last >= c;
}

const CharSet& digit_characters() {
  static const CharSet set{{'0', '9'}};
  return set;
}

const CharSet& word_characters() {
  static const CharSet set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  return set;
}

const CharSet& space_characters() {
  static const CharSet set{{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                           {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                           {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  return set;
}

const CharSet& line_characters() {
  static const CharSet set = CharSet{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.inverted();
  return set;
}

std::optional<CharSet> characters_of_property(std::string_view name) {
  for (const std::string_view prefix : {"General_Category=", "gc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (name == "Any") return CharSet{{0, kLastCharacter}};
  if (name == "ASCII") return CharSet{{0, 0x7F}};
  if (name == "Assigned") return with_category("");
  if (name == "Cn" || name == "Unassigned") return with_category("").inverted();
  if (name == "C" || name == "Other") {
    CharSet set = with_category("C");
    set.add(with_category("").inverted());
    return set;
  }
  for (const CategoryName& known : kNames) {
    if (name == known.name || name == known.categories) return with_category(known.categories);
  }
  return std::nullopt;
}

}  // namespace patchbay::json
