// help, completion and man: what the command line tells about itself, all from the tables of
// --help.
//
// The main thread of a command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace patchbay::app {

struct HelpOptions {
  std::vector<std::string> command;  // Of `help`; empty: all.
  std::string shell;                 // Of `completion`.
  bool json = false;
};

void add_help_options(CLI::App& help, HelpOptions& options);
void add_completion_options(CLI::App& completion, HelpOptions& options);
void add_manual_options(CLI::App& manual, HelpOptions& options);

// Each yields the exit code. `root` is the whole command line.
int print_help(const CLI::App& root, const HelpOptions& options);
int print_completion(const CLI::App& root, const HelpOptions& options);
int print_manual(const CLI::App& root, const HelpOptions& options);

}  // namespace patchbay::app
