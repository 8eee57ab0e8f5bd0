// The grammar of regular expressions: ECMA-262 with the flag `u`, and with the leniency that real
// patterns need (any punctuation may be escaped, a stray brace is literal). A pattern becomes
// Terms, a tree in one array.
//
// Back references are parsed too, but have no Terms: they cannot be matched in linear time, which
// `refused` reports. Values only; usable from any thread.
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
    sequence,     // All parts in order.
    alternation,  // One of the parts.
    repeat,       // The only part, `least` to `most` times.
    begin,        // ^
    end,          // $
    boundary,     // \b
    no_boundary,  // \B
    look,         // (?=…) and the like: the only part must match here, or must not.
  };
  static constexpr std::uint32_t kUnbounded = 0xFFFFFFFF;

  Kind kind = Kind::sequence;
  std::uint32_t set = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::vector<std::uint32_t> parts = {};
  bool behind = false;   // Of a look-around: its text ends here; else it begins here.
  bool negated = false;  // Of a look-around: it must not match.
};

struct RegexSyntax {
  std::vector<Term> nodes;
  std::vector<CharSet> sets;  // Each one once.
  std::uint32_t root = 0;
  std::string refused;  // Why it cannot be matched here; empty if it can.
};

// Fails with the reason and the position if `pattern` is not a regular expression. REQUIRES:
// `pattern` is UTF-8.
Result<RegexSyntax> parse_regex(std::string_view pattern);

}  // namespace patchbay::json
