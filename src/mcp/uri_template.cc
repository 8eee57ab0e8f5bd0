#include "mcp/uri_template.h"

#include <string>

namespace patchbay::mcp {
namespace {

// Stand for an expression, and for one that may come to nothing; no URI has them.
constexpr char kAny = '\0';
constexpr char kMaybe = '\1';

// What is asked beyond a path may be left out.
bool may_be_empty(std::string_view expression) {
  return expression.starts_with('?') || expression.starts_with('&');
}

// The template with each {expression} as one character.
std::string pattern_of(std::string_view uri_template) {
  std::string pattern;
  while (!uri_template.empty()) {
    const auto open = uri_template.find('{');
    pattern += uri_template.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = uri_template.find('}', open);
    if (close == std::string_view::npos) break;
    pattern += may_be_empty(uri_template.substr(open + 1)) ? kMaybe : kAny;
    uri_template.remove_prefix(close + 1);
  }
  return pattern;
}

}  // namespace

// The usual walk with one place to go back to: the last expression takes one character more each
// time the rest does not fit.
bool matches_template(std::string_view uri_template, std::string_view uri) {
  const std::string pattern = pattern_of(uri_template);
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t last_any = std::string::npos;
  std::size_t taken_to = 0;
  while (at < uri.size()) {
    if (in < pattern.size() && pattern[in] == kAny) {
      last_any = in++;
      taken_to = ++at;
    } else if (in < pattern.size() && pattern[in] == kMaybe) {
      last_any = in++;
      taken_to = at;
    } else if (in < pattern.size() && pattern[in] == uri[at]) {
      ++in;
      ++at;
    } else if (last_any != std::string::npos) {
      in = last_any + 1;
      at = ++taken_to;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == kMaybe) ++in;
  return at == uri.size() && in == pattern.size();
}

}  // namespace patchbay::mcp
