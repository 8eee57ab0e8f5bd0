// Errors of the command line, with what was probably meant, and the help of a command.
//
// The main thread of a command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace patchbay::app {

// Prints an error, or the help or version that was asked for; yields the exit code.
int report_usage(const CLI::App& app, const CLI::ParseError& error);

// The arguments of `patchbay`, with `--` in front of the program of `sandbox` and of `add`: what
// follows belongs to the program, its options too.
std::vector<std::string> mark_program(const CLI::App& app, std::vector<std::string> args);

// Prints the help of the command that `path` names; without one, of all. Yields the exit code.
int print_help(const CLI::App& app, const std::vector<std::string>& path);

}  // namespace patchbay::app
