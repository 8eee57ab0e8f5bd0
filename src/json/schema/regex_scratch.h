// The working memory of one run of a Regex. Used by one thread, for one search.
#pragma once

#include <cstdint>
#include <vector>

namespace patchbay::json {

struct RegexScratch {
  explicit RegexScratch(std::size_t size) : seen(size, 0) {}
  bool visit(std::uint32_t at) {
    if (seen[at] == round) return false;
    seen[at] = round;
    return true;
  }

  std::vector<std::uint32_t> seen;  // The round in which each instruction was last visited.
  std::uint32_t round = 0;
  std::vector<std::uint32_t> open;
  std::vector<std::uint32_t> characters;  // The instructions that wait for a character.
  std::size_t work = 0;

  // Whether look-around number `look` holds at `position`. Until that is evaluated, it may.
  bool holds(std::uint32_t look) const { return looks.empty() || looks[look][position]; }
  std::vector<std::vector<bool>> looks;  // [look][position]
  std::size_t position = 0;              // In the text, in characters.
  bool goes_on = false;                  // A match does not end the run.
};

}  // namespace patchbay::json
