// A Regex matches a pattern (json/schema/regex_syntax.h) anywhere in a text, in time linear in the
// text for any pattern. A small pattern becomes a table of states, with one look-up per character;
// a larger one is simulated in all its states at once, each character costing at most the size of
// the pattern. Look-around is linear too: see json/schema/regex_look.cc.
//
// Never changed after compile(); threads may share it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "json/equal.h"
#include "json/schema/alphabet.h"
#include "json/schema/regex_syntax.h"

namespace patchbay::json {

struct RegexScratch;

struct RegexLimits {
  std::size_t pattern = 4096;          // Bytes.
  std::size_t instructions = 16'384;   // Repeats are written out: a{5} is five of them.
  std::size_t alphabet = 20'000'000;   // Character sets times ranges of all of them.
  std::size_t table = 262'144;         // Entries of the state table; beyond, there is none.
  std::size_t table_work = 2'000'000;  // Steps to build it.
  std::size_t looks = 256;             // Look-aheads and look-behinds.
};

class Regex {
 public:
  static Result<Regex> compile(std::string_view pattern, const RegexLimits& limits = {});

  // False also once the budget is exhausted. REQUIRES: `text` is UTF-8.
  bool search(std::string_view text, Budget& budget) const;

  std::size_t size() const { return code_.size(); }
  bool has_table() const { return !table_.empty(); }

  // Subtracts from `limits` what this one has used, where several share the limits.
  void charge(RegexLimits& limits) const;

 private:
  struct Instruction {
    enum class Kind : std::uint8_t {
      characters,  // One of the set `a`, then the next instruction.
      split,       // Continues at `a` and at `b`.
      begin,
      end,
      boundary,
      no_boundary,
      look,  // Look-around `a` holds here.
      match,
    };
    Kind kind;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };

  // A look-around is a program of its own, further down in the code. That of a look-ahead is
  // reversed.
  struct Look {
    std::uint32_t start = 0;
    bool behind = false;
    bool negated = false;
  };

  // The state of a search between two characters: the reached instructions, and context.
  struct Position {
    std::vector<std::uint32_t> reached;
    bool at_begin = false;
    bool after_word = false;
    auto operator<=>(const Position&) const = default;
  };
  class Emitter;
  class TableBuilder;

  using Scratch = RegexScratch;
  using Class = Alphabet::Class;
  static constexpr std::uint16_t kDead = 0;  // States of the table that never change again.
  static constexpr std::uint16_t kFound = 1;
  static constexpr std::uint16_t kStart = 2;

  void find_anchor();

  // Advances by one character of class `c` (the one after the last class is the end of the text)
  // from `from`; true if the pattern has matched before it.
  bool step(const Position& from, Class c, Position& to, Scratch& scratch) const;
  bool closure(const Position& from, bool before_word, bool at_end, Scratch& scratch) const;
  void advance(Class c, Position& to, Scratch& scratch) const;
  bool search_table(std::string_view text) const;
  bool search_all(std::string_view text, Budget& budget) const;
  bool search_looking(std::string_view text, Budget& budget) const;
  bool follow(const Look& look, const std::vector<Class>& text, Scratch& scratch, Budget& budget,
              std::vector<bool>& holds) const;

  Alphabet alphabet_;
  std::vector<Instruction> code_;
  std::vector<Look> looks_;  // A nested one comes after the outer one.
  bool anchored_ = false;    // Matches only at the beginning of the text.
  bool uses_words_ = false;

  // [state][class]; the last class of each state is the end of the text. Empty: too large.
  std::vector<std::uint16_t> table_;
  std::size_t table_work_ = 0;  // Work to build it, or to find it too large.
};

// True if `pattern` is a regular expression of ECMA-262, also one that compile() refuses.
bool is_regex(std::string_view pattern);

}  // namespace patchbay::json
