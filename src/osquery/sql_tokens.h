// SQL text as tokens, by the rules of SQLite's own tokenizer, as far as needed to find names.
// Values only; usable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::osquery {

struct Token {
  enum class Kind : std::uint8_t {
    bare,    // A keyword or a name without quotes, in lower case.
    name,    // A name in quotes, without them, in lower case.
    string,  // In single quotes, without them. SQLite accepts it where it expects a name.
    number,
    sign,  // One character.
  };

  Kind kind = Kind::sign;
  std::string text;
  std::size_t begin = 0;  // In the SQL...
  std::size_t end = 0;    // ...and where it ends.

  bool is(std::string_view keyword) const { return kind == Kind::bare && text == keyword; }
  bool is(char c) const { return kind == Kind::sign && text[0] == c; }
};

// Comments are left out. An Error if a quote is not closed, and if there is a variable or a byte
// above ASCII outside quotes.
Result<std::vector<Token>> tokenize(std::string_view sql);

}  // namespace patchbay::osquery
