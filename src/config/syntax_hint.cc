#include "config/syntax_hint.h"

#include <algorithm>
#include <array>
#include <span>

namespace patchbay::config {
namespace {

std::string_view text_of_line(std::string_view text, std::size_t line) {
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

struct Cause {
  std::string_view problem;  // A part of what libyaml reports.
  std::string_view hint;
};

constexpr std::array kYamlCauses{
    Cause{"mapping values are not allowed",
          "a text with ': ' needs quotes, or the line is indented too far"},
    Cause{"did not find expected key", "check the indentation of this line, and quotes above it"},
    Cause{"did not find expected '-'", "check the indentation of this line"},
    Cause{"block sequence entries are not allowed", "check the indentation of this line"},
    Cause{"could not find expected ':'", "a key has no ':', or a text needs quotes"},
    Cause{"unexpected end of stream", "a quote is not closed"},
    Cause{"did not find expected ',' or '}'", "a comma or '}' is missing"},
    Cause{"did not find expected ',' or ']'", "a comma or ']' is missing"},
    Cause{"did not find expected node content", "a value is missing, or a bracket is not closed"},
    Cause{"cannot start any token", "a text that begins with this character needs quotes"},
    Cause{"unknown escape", "write the text in single quotes, or double the backslash"},
    Cause{"expected hexdecimal", "write the text in single quotes, or double the backslash"},
    Cause{"did not find expected alphabetic", "a text that begins with & or * needs quotes"},
};

// A part of what toml++ reports.
constexpr std::array kTomlCauses{
    Cause{"unescaped control characters", "a quote is not closed"},
    Cause{"could not determine value type", "a text needs quotes"},
    Cause{"encountered end-of-file", "a bracket or a quote is not closed"},
    Cause{"expected ']', saw '\\n'", "a ']' is missing"},
    Cause{"table header: expected ']'", "a name with blanks or other characters needs quotes"},
    Cause{"expected '=', saw ':'", "TOML has '=' between key and value"},
    Cause{"expected '='", "a key has no '='"},
    Cause{"unknown escape sequence", "write the text in single quotes, or double the backslash"},
    Cause{"cannot redefine", "it is given twice"},
    Cause{"expected value", "a value is missing"},
    Cause{"expected comma", "a comma or a bracket is missing"},
};

std::string_view hint_in(std::span<const Cause> causes, std::string_view problem) {
  const auto cause = std::ranges::find_if(causes, [&problem](const Cause& one) {
    return problem.find(one.problem) != std::string_view::npos;
  });
  return cause == causes.end() ? std::string_view() : cause->hint;
}

// What other notations have where JSON has `true`, `false` and `null`.
bool is_foreign_literal(std::string_view rest) {
  constexpr std::array<std::string_view, 7> kLiterals{"True",  "False",     "None", "TRUE",
                                                      "FALSE", "undefined", "NULL"};
  return std::ranges::any_of(kLiterals,
                             [&](std::string_view one) { return rest.starts_with(one); });
}

}  // namespace

std::string_view yaml_hint(std::string_view text, std::size_t line, std::size_t column,
                           std::string_view problem) {
  const auto at = text_of_line(text, line);
  const auto indent = at.substr(0, at.find_first_not_of(" \t"));
  const bool at_tab = column < at.size() && at[column] == '\t';
  if (indent.find('\t') != std::string_view::npos || at_tab) {
    return "a tab; YAML is indented with spaces";
  }
  return hint_in(kYamlCauses, problem);
}

std::string_view toml_hint(std::string_view problem) { return hint_in(kTomlCauses, problem); }

std::string_view json_hint(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const char previous = last == std::string_view::npos ? '\0' : before[last];
  const auto rest = text.substr(before.size());
  const char next = rest.empty() ? '\0' : rest.front();
  if (rest.empty() && previous == '\0') return "the text is empty";
  if (rest.empty()) return "a bracket or a quote is not closed";
  if (previous == ',' && (next == '}' || next == ']')) return "a comma too many";
  if (rest.starts_with("/*")) return "a comment is not closed";
  if (next == '#') return "a comment begins with //";
  if (next == '\'') return "JSON has only double quotes";
  const bool value_before = previous == '"' || previous == '}' || previous == ']' ||
                            (previous >= '0' && previous <= '9') || previous == 'e';
  if (value_before && (next == '"' || next == '{' || next == '[')) return "a comma is missing";
  if (is_foreign_literal(rest)) return "JSON has true, false and null, in small letters";
  const bool begins_name = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
  if (begins_name && (previous == '{' || previous == ',')) return "a key needs double quotes";
  if (begins_name && previous == ':') return "a text needs double quotes";
  if (static_cast<unsigned char>(next) < ' ') return "a text ends on its line: a quote is missing";
  return {};
}

}  // namespace patchbay::config
