// The tokens of an arithmetic expression, read one at a time from left to right.
// Values only; a token's text points into the expression, which outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace patchbay::math {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    number,
    out_of_range,  // A number that a double cannot hold.
    name,
    symbol,
    unknown,  // One character that begins nothing.
  };

  Kind kind = Kind::end;
  char symbol = 0;  // In its plain spelling: '^' for "**", '*' for "×".
  double number = 0;
  std::string_view text;  // As written.
};

class TokenReader {
 public:
  explicit TokenReader(std::string_view expression) : expression_(expression) {}

  // The next token; at the end, repeatedly the end.
  Token next();

  // Where `token` begins, in characters from 1.
  std::size_t position(const Token& token) const;

 private:
  const std::string_view expression_;
  std::size_t at_ = 0;
};

}  // namespace patchbay::math
