#include "mcp/uri_template.h"

#include <string>

namespace patchbay::mcp {
namespace {

constexpr char kAny = '\0';  // Stands for an expression; no URI has it.

// The template with each {expression} as one character.
std::string pattern_of(std::string_view uri_template) {
  std::string pattern;
  while (!uri_template.empty()) {
    const auto open = uri_template.find('{');
    pattern += uri_template.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = uri_template.find('}', open);
    if (close == std::string_view::npos) break;
    pattern += kAny;
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
  return at == uri.size() && in == pattern.size();
}

}  // namespace patchbay::mcp
