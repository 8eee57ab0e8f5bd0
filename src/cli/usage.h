// Errors of the command line, with what was probably meant, and the help of a command.
//
// The main thread of a command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
class Validator;
}  // namespace CLI

namespace patchbay::app {

// Accepts one of `choices` as the value of an option; the error names all of them, and the one that
// was probably meant.
CLI::Validator one_of(std::vector<std::string> choices);

// Prints an error, or the help or version that was asked for; yields the exit code.
int report_usage(const CLI::App& app, const CLI::ParseError& error);

// The arguments of `patchbay`, with `--` in front of the program of `sandbox` and of `add`: what
// follows belongs to the program, its options too.
std::vector<std::string> mark_program(const CLI::App& app, std::vector<std::string> args);

// The command that `path` names, `app` itself if it is empty. Null if there is none: the error has
// been printed.
const CLI::App* find_command(const CLI::App& app, const std::vector<std::string>& path);

// `patchbay token create`
std::string full_name(const CLI::App& app);

}  // namespace patchbay::app
