#include "app/properties_file.h"

#include <charconv>

#include "core/text.h"
#include "skills/characters.h"

namespace patchbay::app {
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const auto known = std::string_view("tnrf").find(c);
    unsigned code = 0;
    const auto digits = text.substr(i + 1, 4);
    if (known != std::string_view::npos) {
      out += "\t\n\r\f"[known];
    } else if (c == 'u' && digits.size() == 4 &&
               std::from_chars(digits.data(), digits.data() + 4, code, 16).ptr ==
                   digits.data() + 4) {
      append_character(out, static_cast<char32_t>(code));
      i += 4;
    } else {
      out += c;
    }
  }
  return out;
}

// True if an odd number of backslashes ends the line, so that it continues on the next one.
bool goes_on(std::string_view line) {
  std::size_t count = 0;
  while (count < line.size() && line[line.size() - 1 - count] == '\\') ++count;
  return count % 2 == 1;
}

// The end of the name: the first =, : or white space that is not escaped.
std::size_t name_end(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '=' || line[i] == ':' || is_space(line[i])) {
      return i;
    }
  }
  return line.size();
}

std::string_view leading_trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

Property parse_line(std::string_view line, int number) {
  const auto end = name_end(line);
  auto value = leading_trimmed(line.substr(end));
  if (value.starts_with('=') || value.starts_with(':')) value = leading_trimmed(value.substr(1));
  return {unescaped(line.substr(0, end)), unescaped(value), number};
}

}  // namespace

std::vector<Property> parse_properties(std::string_view text) {
  std::vector<Property> found;
  std::string line;  // Joined from continued lines.
  int began = 0;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    auto piece = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (piece.ends_with('\r')) piece.remove_suffix(1);
    piece = leading_trimmed(piece);
    const bool fresh = line.empty();
    if (fresh && (piece.empty() || piece.front() == '#' || piece.front() == '!')) continue;
    if (fresh) began = number;
    const bool more = goes_on(piece) && !text.empty();
    if (goes_on(piece)) piece.remove_suffix(1);
    line += piece;
    if (more) continue;
    found.push_back(parse_line(line, began));
    line.clear();
  }
  return found;
}

}  // namespace patchbay::app
