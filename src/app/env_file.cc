#include "app/env_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "config/file.h"
#include "config/make_node.h"
#include "core/text.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 20;

bool is_env_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

// A value in quotes may be followed by a comment; one without quotes ends where a comment begins.
std::string read_env_value(std::string_view value) {
  const char quote = value.empty() ? '\0' : value.front();
  if (quote == '"' || quote == '\'') {
    const std::size_t end = value.find(quote, 1);
    if (end == std::string_view::npos) return std::string(value);
    const std::string_view after = trimmed(value.substr(end + 1));
    if (!after.empty() && !after.starts_with('#')) return std::string(value);
    std::string text(value.substr(1, end - 1));
    for (std::size_t at = 0; quote == '"' && (at = text.find("\\n", at)) < text.size(); ++at) {
      text.replace(at, 2, "\n");
    }
    return text;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool begins = value[i] == '#' && (i == 0 || value[i - 1] == ' ' || value[i - 1] == '\t');
    if (begins) return std::string(trimmed(value.substr(0, i)));
  }
  return std::string(value);
}

Result<std::pair<std::string, std::string>> read_line(std::string_view line) {
  constexpr std::string_view kExport = "export ";
  if (line.starts_with(kExport)) line = trimmed(line.substr(kExport.size()));
  const std::size_t equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos || !is_env_name(name)) {
    return Error{Code::invalid_params, "is not NAME=value"};
  }
  return std::pair(std::string(name), read_env_value(trimmed(line.substr(equals + 1))));
}

}  // namespace

Result<config::Dict<std::string>> read_env_file(std::string_view text) {
  config::Dict<std::string> variables;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    auto variable = read_line(line);
    // The line may be a secret, so it is not repeated.
    if (!variable) {
      return Error{Code::invalid_params,
                   fmt::format("line {} {}", number, variable.error().message)};
    }
    variables.push_back(*std::move(variable));
  }
  return variables;
}

void add_variables_of_file(config::Node& program, const config::Location& at,
                           std::vector<std::string>& files) {
  const config::Node* const given = program.find("env_file");
  if (!given || given->kind != config::Kind::scalar || given->text.empty()) return;
  const config::Location there = at.member("env_file");
  const std::string path = std::filesystem::path(at.file).parent_path() / given->text;
  const int line = given->line;
  files.push_back(path);
  auto text = config::read_trusted_file(path, kMaxFile);
  if (!text) return there.fault(line, fmt::format("the file {} {}", path, text.error().message));
  auto variables = read_env_file(*text);
  if (!variables) {
    return there.fault(line, fmt::format("the file {}: {}", path, variables.error().message));
  }
  if (!program.find("env")) add_member(program, "env", config::map_node({}));
  config::Node& env = *program.find("env");
  if (env.kind != config::Kind::map) return;  // Reported as a fault elsewhere.
  std::set<std::string> given_names;
  for (const auto& member : env.members) given_names.insert(member.key);
  for (auto& [name, value] : *variables) {
    if (!given_names.insert(name).second) continue;
    config::Node node = config::text_node(value);
    node.interpolated = true;
    node.line = line;
    env.members.push_back({std::move(name), line, std::move(node)});
  }
}

}  // namespace patchbay::app
