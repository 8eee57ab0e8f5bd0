#include "cli/table.h"

#include <unistd.h>

#include <algorithm>

#include "core/environment.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::good:
      return "\x1b[32m";
    case Colour::bad:
      return "\x1b[31m";
    case Colour::faint:
      return "\x1b[2m";
    case Colour::none:
      break;
  }
  return "";
}

}  // namespace

bool is_terminal(std::FILE* out) { return ::isatty(::fileno(out)) == 1; }

std::string painted(std::string_view text, Colour colour, std::FILE* out) {
  const bool plain = colour == Colour::none || !is_terminal(out) ||
                     !read_variable("NO_COLOR").value_or("").empty() ||
                     read_variable("TERM").value_or("dumb") == "dumb";
  if (plain) return std::string(text);
  return std::string(code_of(colour)).append(text).append("\x1b[0m");
}

std::string table_text(const std::vector<Row>& rows, std::FILE* out) {
  const bool aligned = is_terminal(out);
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; aligned && i < row.size(); ++i) {
      widths[i] = std::max(widths[i], json::count_characters(row[i].text));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t length = json::count_characters(row[i].text);
      const std::string pad(widths[i] > length ? widths[i] - length : 0, ' ');
      if (i > 0) line += "  ";
      if (row[i].right) line += pad;
      line += painted(row[i].text, row[i].colour, out);
      if (!row[i].right) line += pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace patchbay::app
