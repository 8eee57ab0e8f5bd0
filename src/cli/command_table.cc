#include "cli/command_table.h"

#include <CLI/CLI.hpp>

namespace patchbay::app {
namespace {

// The members of `TEXT:{a,b}`, as CLI11 describes a fixed set.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find('{');
  const std::size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::string_view rest = std::string_view(type).substr(begin + 1, end - begin - 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    choices.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return choices;
}

OptionRow option_row(const CLI::Option& option) {
  OptionRow row;
  for (const auto& name : option.get_snames()) row.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) row.names.push_back("--" + name);
  row.positional = row.names.empty();
  if (row.positional) row.names.push_back(option.get_name(true));
  row.help = option.get_description();
  row.takes_value = option.get_items_expected_max() > 0;
  row.choices = choices_of(option.get_type_name());
  return row;
}

CommandRow command_row(const CLI::App& app, const std::string& path) {
  CommandRow row{path, app.get_description(), app.get_footer(), {}, {}};
  for (const auto* const option : app.get_options()) row.options.push_back(option_row(*option));
  const auto any = [](const CLI::App*) { return true; };
  for (const auto* const command : app.get_subcommands(any)) {
    row.commands.push_back(command_row(*command, path + " " + command->get_name()));
  }
  return row;
}

}  // namespace

CommandRow command_table(const CLI::App& app) { return command_row(app, app.get_name()); }

}  // namespace patchbay::app
