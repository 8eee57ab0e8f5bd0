#include "cli/help_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/usage.h"
#include "core/version.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ",") + json::quote(text);
  return "[" + list + "]";
}

std::string as_json(const OptionRow& option) {
  return fmt::format(R"({{"names":{},"help":{},"positional":{},"takes_value":{},"choices":{}}})",
                     quoted_list(option.names), json::quote(option.help), option.positional,
                     option.takes_value, quoted_list(option.choices));
}

std::string as_json(const CommandRow& row) {
  std::string options;
  for (const auto& option : row.options) options += (options.empty() ? "" : ",") + as_json(option);
  std::string commands;
  for (const auto& one : row.commands) commands += (commands.empty() ? "" : ",") + as_json(one);
  return fmt::format(R"({{"command":{},"help":{},"options":[{}],"commands":[{}]}})",
                     json::quote(row.path), json::quote(row.help), options, commands);
}

// The text, or a member of an object.
int print_document(std::string_view text, std::string_view member, bool json) {
  print_raw(json ? fmt::format("{{{}:{}}}\n", json::quote(member), json::quote(text)) : text);
  return kExitOk;
}

void add_json(CLI::App& command, HelpOptions& options) {
  command.add_flag("--json", options.json, "As JSON.");
}

const CommandRow* find_row(const CommandRow& row, const std::string& path) {
  if (row.path == path) return &row;
  for (const auto& command : row.commands) {
    if (const auto* const found = find_row(command, path)) return found;
  }
  return nullptr;
}

}  // namespace

void add_help_options(CLI::App& help, HelpOptions& options) {
  help.add_option("command", options.command, "The command; without one, all are listed.");
  add_json(help, options);
}

void add_completion_options(CLI::App& completion, HelpOptions& options) {
  completion.add_option("shell", options.shell, "The shell.")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  add_json(completion, options);
}

void add_manual_options(CLI::App& manual, HelpOptions& options) { add_json(manual, options); }

int print_help(const CLI::App& root, const HelpOptions& options) {
  const CLI::App* const command = find_command(root, options.command);
  if (!command) return kExitUsage;
  const std::string name = full_name(*command);
  if (!options.json) {
    print_raw(root.get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal));
    return kExitOk;
  }
  const CommandRow table = command_table(root);
  print_raw(as_json(*find_row(table, name)) + "\n");
  return kExitOk;
}

int print_completion(const CLI::App& root, const HelpOptions& options) {
  const CommandRow table = command_table(root);
  const std::string script = options.shell == "bash"  ? bash_completion(table)
                             : options.shell == "zsh" ? zsh_completion(table)
                                                      : fish_completion(table);
  return print_document(script, "script", options.json);
}

int print_manual(const CLI::App& root, const HelpOptions& options) {
  return print_document(manual_page(command_table(root), kVersion), "page", options.json);
}

}  // namespace patchbay::app
