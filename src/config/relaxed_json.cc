#include "config/relaxed_json.h"

#include <algorithm>

namespace patchbay::config {
namespace {

// The offset behind the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// The offset behind the comment that begins at `at`; `at` if none does, or if it is not closed.
std::size_t comment_end(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? at : end + 2;
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  }
}

}  // namespace

std::string strict_json(std::string_view text) {
  std::string strict(text);
  std::size_t comma = std::string::npos;  // The last one, if only white space has come since.
  bool open_comment = false;              // So that the rest is searched for its end only once.
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t end = c == '/' && !open_comment ? comment_end(text, i) : i;
    if (end > i) {
      blank(strict, i, end);
      i = end;
      continue;
    }
    open_comment |= c == '/' && text.substr(i).starts_with("/*");
    if ((c == '}' || c == ']') && comma != std::string::npos) strict[comma] = ' ';
    if (c == ',') {
      comma = i;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      comma = std::string::npos;
    }
    i = c == '"' ? string_end(text, i) : i + 1;
  }
  return strict;
}

}  // namespace patchbay::config
