// A CharSet is a set of Unicode characters, stored as sorted, disjoint ranges. Values only; usable
// from any thread.
#pragma once

#include <compare>
#include <optional>
#include <string_view>
#include <vector>

namespace patchbay::json {

inline constexpr char32_t kLastCharacter = 0x10FFFF;

struct CharRange {
  char32_t first;
  char32_t last;
  auto operator<=>(const CharRange&) const = default;
};

class CharSet {
 public:
  CharSet() = default;
  CharSet(std::initializer_list<CharRange> ranges);

  void add(char32_t first, char32_t last);
  void add(const CharSet& other);
  CharSet inverted() const;
  bool has(char32_t c) const;
  const std::vector<CharRange>& ranges() const { return ranges_; }

  auto operator<=>(const CharSet&) const = default;

 private:
  std::vector<CharRange> ranges_;
};

// The character classes of ECMA-262.
const CharSet& digit_characters();  // \d
const CharSet& word_characters();   // \w
const CharSet& space_characters();  // \s
const CharSet& line_characters();   // .

// The characters of \p{NAME}: general categories by their short and long names, Any, ASCII and
// Assigned. Empty for an unknown name.
std::optional<CharSet> characters_of_property(std::string_view name);

}  // namespace patchbay::json
