// The commands and options of the command line as data, read from the same definitions as --help:
// for shell completion, the manual page and suggestions. Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace patchbay::app {

struct OptionRow {
  std::vector<std::string> names;  // `-c`, `--config`; of a positional argument, its name.
  std::string help;
  bool positional = false;
  bool takes_value = false;
  std::vector<std::string> choices;  // Of the value, if they are fixed.
};

struct CommandRow {
  std::string path;  // `patchbay token create`
  std::string help;
  std::string footer;
  std::vector<OptionRow> options;
  std::vector<CommandRow> commands;
};

CommandRow command_table(const CLI::App& app);

std::string bash_completion(const CommandRow& root);
std::string zsh_completion(const CommandRow& root);
std::string fish_completion(const CommandRow& root);

// A page for man(1).
std::string manual_page(const CommandRow& root, std::string_view version);

}  // namespace patchbay::app
