#include "mcp/uri_template.h"

#include <vector>

namespace patchbay::mcp {
namespace {

// A query may be omitted.
bool may_be_empty(std::string_view expression) {
  return expression.starts_with('?') || expression.starts_with('&');
}

// Adjacent expressions, and the text up to the next ones.
struct Gap {
  std::size_t least = 0;  // Minimum number of characters for the expressions.
  std::string_view literal;
};

// Splits the template: the text before the first expression, and the gaps after it.
std::string_view take_apart(std::string_view uri_template, std::vector<Gap>& gaps) {
  const std::string_view before = uri_template.substr(0, uri_template.find('{'));
  uri_template.remove_prefix(before.size());
  while (!uri_template.empty()) {
    const auto close = uri_template.find('}');
    if (close == std::string_view::npos) break;
    if (gaps.empty() || !gaps.back().literal.empty()) gaps.emplace_back();
    if (!may_be_empty(uri_template.substr(1))) ++gaps.back().least;
    uri_template.remove_prefix(close + 1);
    gaps.back().literal = uri_template.substr(0, uri_template.find('{'));
    uri_template.remove_prefix(gaps.back().literal.size());
  }
  return before;
}

// The first occurrence of `part` in `text` at or after `from`: Knuth, Morris and Pratt, since the
// naive search is quadratic.
std::size_t find_part(std::string_view text, std::string_view part, std::size_t from) {
  std::vector<std::size_t> border(part.size() + 1, 0);  // Of the first i characters.
  for (std::size_t i = 1, matched = 0; i < part.size(); ++i) {
    while (matched > 0 && part[i] != part[matched]) matched = border[matched];
    if (part[i] == part[matched]) ++matched;
    border[i + 1] = matched;
  }
  for (std::size_t i = from, matched = 0; i < text.size(); ++i) {
    while (matched > 0 && text[i] != part[matched]) matched = border[matched];
    if (text[i] == part[matched]) ++matched;
    if (matched == part.size()) return i + 1 - matched;
  }
  return std::string_view::npos;
}

}  // namespace

// Where an expression may match any text, the first match of the next literal leaves the most for
// the rest, so there is no backtracking.
bool matches_template(std::string_view uri_template, std::string_view uri) {
  std::vector<Gap> gaps;
  const std::string_view before = take_apart(uri_template, gaps);
  if (!uri.starts_with(before)) return false;
  uri.remove_prefix(before.size());
  if (gaps.empty()) return uri.empty();
  for (std::size_t i = 0; i + 1 < gaps.size(); ++i) {
    const auto at = find_part(uri, gaps[i].literal, gaps[i].least);
    if (at == std::string_view::npos) return false;
    uri.remove_prefix(at + gaps[i].literal.size());
  }
  const Gap& last = gaps.back();
  return uri.size() >= last.least + last.literal.size() && uri.ends_with(last.literal);
}

}  // namespace patchbay::mcp
