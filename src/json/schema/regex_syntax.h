// The grammar of regular expressions: ECMA-262 as the flag `u` reads it, with the leniency that
// patterns in the wild need (any punctuation may be escaped, a stray brace is itself). A pattern
// becomes Terms, a tree kept in one array.
//
// Back references are grammar too, but have no Terms: they cannot be matched in linear time.
// `refused` says so. Values only; usable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "json/char_set.h"

namespace patchbay::json {

struct Term {
  enum class Kind : std::uint8_t {
    characters,   // One of `set`.
    sequence,     // All parts, one after the other.
    alternation,  // One of the parts.
    repeat,       // The only part, `least` to `most` times.
    begin,        // ^
    end,          // $
    boundary,     // \b
    no_boundary,  // \B
    look,         // (?=…) and its kin: the only part must match here, or must not.
  };
  static constexpr std::uint32_t kUnbounded = 0xFFFFFFFF;

  Kind kind = Kind::sequence;
  std::uint32_t set = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::vector<std::uint32_t> parts = {};
  bool behind = false;   // Of a look: what it looks at ends here; else it begins here.
  bool negated = false;  // Of a look: it must not match.
};

struct RegexSyntax {
  std::vector<Term> nodes;
  std::vector<CharSet> sets;  // Each one once.
  std::uint32_t root = 0;
  std::string refused;  // Why it cannot be matched here; empty if it can.
};

// Fails with the reason and the place if `pattern` is no regular expression.
// REQUIRES: `pattern` is UTF-8.
Result<RegexSyntax> parse_regex(std::string_view pattern);

}  // namespace patchbay::json
