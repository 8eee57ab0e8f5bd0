// What commands print for people: columns and colours on a terminal, plain text elsewhere.
//
// The main thread of a command.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::app {

bool is_terminal(std::FILE* out);

enum class Colour : std::uint8_t { none, good, bad, faint };

// `text` with the codes for the colour if `out` is a terminal that has colours and NO_COLOR is not
// set.
std::string painted(std::string_view text, Colour colour, std::FILE* out);

struct Cell {
  std::string text;  // On one line, without codes.
  Colour colour = Colour::none;
  bool right = false;  // A number.
};
using Row = std::vector<Cell>;

// One line per row. On a terminal the columns are aligned; elsewhere two spaces separate them.
std::string table_text(const std::vector<Row>& rows, std::FILE* out);

}  // namespace patchbay::app
