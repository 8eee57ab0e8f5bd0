#include "app/client_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace patchbay::app {
namespace {

bool is_capital(char c) { return (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr std::string_view kLowerCase = "abcdefghijklmnopqrstuvwxyz";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_capital(c) || is_digit(c) || (c >= 'a' && c <= 'z'); }

bool is_variable(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_name_part);
}

bool in_capitals(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return is_capital(c) || is_digit(c); });
}

// A value of our own, escaped so that our notation leaves it unchanged.
std::string literal(std::string_view value) {
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value.substr(i).starts_with("${")) text += '$';
    text += value[i];
  }
  return text;
}

std::string folder_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Variables that editors define.
std::optional<std::string> defined(std::string_view name, const ClientVariables& variables) {
  if (name == "workspaceFolder" || name == "workspaceRoot" || name == "cwd") {
    return literal(variables.workspace);
  }
  // With the name of one of several folders: here there is one.
  if (name.starts_with("workspaceFolder:")) return literal(variables.workspace);
  if (name == "workspaceFolderBasename") return literal(folder_name(variables.workspace));
  if (name == "userHome") return "${env:HOME}";
  if (name == "pathSeparator" || name == "/") return "/";
  if (name == "CLAUDE_PROJECT_DIR") {
    return fmt::format("${{env:CLAUDE_PROJECT_DIR:-{}}}", variables.workspace);
  }
  return std::nullopt;
}

Result<std::string> from_input(std::string_view id, const ClientVariables& variables) {
  const auto found = std::ranges::find(variables.inputs, id, &ClientInput::id);
  if (found == variables.inputs.end()) {
    return Error{Code::invalid_params, fmt::format("${{input:{}}} is not in `inputs`", id)};
  }
  // A brace would end the expression.
  const bool simple = found->fallback.find('}') == std::string::npos;
  if (found->fallback.empty() || !simple) return fmt::format("${{env:{}}}", found->variable);
  return fmt::format("${{env:{}:-{}}}", found->variable, found->fallback);
}

class Translator {
 public:
  Translator(const ClientVariables& variables, bool for_program)
      : variables_(variables), for_program_(for_program) {}

  Result<ClientText> translate(std::string_view text) {
    while (!text.empty()) {
      auto taken = take(text);
      if (!taken) return taken.error();
      text.remove_prefix(*taken);
    }
    return std::move(out_);
  }

 private:
  // Translates the expression at the front of `text`, and returns its length.
  Result<std::size_t> take(std::string_view text) {
    if (text.starts_with("${")) return braced(text);
    if (variables_.bare_dollar && text.front() == '$') return bare(text);
    if (variables_.braces && (text.starts_with("{env:") || text.starts_with("{file:"))) {
      return in_braces(text);
    }
    out_.text += text.front();
    return std::size_t{1};
  }

  Result<std::size_t> braced(std::string_view text) {
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) {
      out_.text += literal(text);
      return text.size();
    }
    const std::string_view inside = text.substr(2, end - 2);
    if (inside.starts_with("input:")) {
      auto value = from_input(inside.substr(6), variables_);
      if (!value) return value.error();
      out_.text += *value;
      return end + 1;
    }
    constexpr std::string_view kHomeFile = "file:~/";
    if (inside.starts_with(kHomeFile)) {
      out_.text += fmt::format("${{file:{}/{}}}", variables_.home, inside.substr(kHomeFile.size()));
      return end + 1;
    }
    const std::string_view name = inside.substr(0, inside.find(":-"));
    if (const auto value = defined(inside, variables_)) {
      out_.text += *value;
    } else if (is_variable(name) && (!for_program_ || in_capitals(name))) {
      out_.text += fmt::format("${{env:{}}}", inside);
    } else if (is_variable(name)) {
      out_.left.emplace_back(name);
      out_.text += fmt::format("$${{{}}}", inside);
    } else {
      // ${env:…} and ${file:…}; ${config:…} and the like are faults later.
      const bool source = inside.substr(0, inside.find(':')).find_first_not_of(kLowerCase) ==
                              std::string_view::npos &&
                          inside.find(':') != std::string_view::npos;
      if (!source && !inside.empty()) out_.left.emplace_back(inside);
      out_.text += text.substr(0, end + 1);
    }
    return end + 1;
  }

  Result<std::size_t> bare(std::string_view text) {
    const auto rest = text.substr(1);
    const auto* const end = std::ranges::find_if_not(rest, is_name_part);
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    const bool variable = is_variable(name) && (!for_program_ || in_capitals(name));
    out_.text += variable ? fmt::format("${{env:{}}}", name) : "$" + std::string(name);
    return 1 + name.size();
  }

  Result<std::size_t> in_braces(std::string_view text) {
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) {
      out_.text += text;
      return text.size();
    }
    constexpr std::string_view kHomeFile = "{file:~/";
    if (text.starts_with(kHomeFile)) {
      out_.text += fmt::format("${{file:{}/{}}}", variables_.home,
                               text.substr(kHomeFile.size(), end - kHomeFile.size()));
    } else {
      out_.text += fmt::format("${}", text.substr(0, end + 1));
    }
    return end + 1;
  }

  const ClientVariables& variables_;
  const bool for_program_;
  ClientText out_;
};

}  // namespace

std::string input_variable(std::string_view id) {
  std::string name = id.empty() || is_digit(id.front()) ? "_" : "";
  for (const char c : id) {
    if (c >= 'a' && c <= 'z') {
      name += static_cast<char>(c - 'a' + 'A');
    } else {
      name += is_name_part(c) ? c : '_';
    }
  }
  return name;
}

Result<ClientText> translate_text(std::string_view text, const ClientVariables& variables,
                                  bool for_program) {
  return Translator(variables, for_program).translate(text);
}

}  // namespace patchbay::app
