// An Alphabet divides all characters into classes: characters that no set of a pattern
// distinguishes are one class, so that matching need not consider single characters.
//
// Never changed once made; threads may share it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "json/char_set.h"

namespace patchbay::json {

class Alphabet {
 public:
  using Class = std::uint16_t;

  // Empty if the number of sets times ranges is more than `most`.
  static std::optional<Alphabet> of(const std::vector<CharSet>& sets, std::size_t most);

  std::size_t classes() const { return classes_; }
  Class class_of(char32_t c) const { return c < ascii_.size() ? ascii_[c] : look_up(c); }
  bool contains(std::size_t set, Class c) const { return members_[set * classes_ + c]; }
  bool is_word(Class c) const { return contains(sets_, c); }

  // Sets times ranges.
  std::size_t work() const { return (sets_ + 1) * bounds_.size(); }

 private:
  void find_bounds(const std::vector<const CharSet*>& sets);
  void part(const std::vector<bool>& inside);
  Class look_up(char32_t c) const;

  std::size_t sets_ = 0;  // One more follows these: the word characters.
  std::size_t classes_ = 1;
  std::array<Class, 128> ascii_{};
  std::vector<char32_t> bounds_;  // Where the ranges begin whose characters are in the same sets,
  std::vector<Class> bound_classes_;  // and the class of each.
  std::vector<bool> members_;         // [set][class]
};

}  // namespace patchbay::json
