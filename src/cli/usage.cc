#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "config/read_value.h"

namespace patchbay::app {
namespace {

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// The option or command of `app` that `given` is probably a misspelling of; empty if there is none.
std::string meant(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  for (const auto* const option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  const auto any = [](const CLI::App*) { return true; };
  for (const auto* const command : app.get_subcommands(any)) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  return std::string(config::closest(given.substr(0, given.find('=')), views));
}

// CLI11 puts an argument that nothing takes into the command that was chosen.
std::string unexpected(const CLI::App& app) {
  const auto rest = app.remaining();
  return rest.empty() ? "" : rest.front();
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

CLI::Validator one_of(std::vector<std::string> choices) {
  std::string description = fmt::format("{{{}}}", fmt::join(choices, ","));
  auto check = [choices = std::move(choices)](const std::string& given) -> std::string {
    if (std::ranges::find(choices, given) != choices.end()) return {};
    const std::vector<std::string_view> names(choices.begin(), choices.end());
    const auto name = config::closest(given, names);
    return fmt::format("'{}' is not one of: {}{}", given, fmt::join(choices, ", "),
                       name.empty() ? "" : fmt::format("; did you mean \"{}\"?", name));
  };
  return {std::move(check), std::move(description)};
}

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kExitOk;
  }
  const CLI::App& command = innermost(app);
  std::string message = error.what();
  if (const std::string given = unexpected(command); !given.empty()) {
    const auto any = [](const CLI::App*) { return true; };
    const bool is_command = !given.starts_with('-') && !command.get_subcommands(any).empty();
    message = fmt::format("unknown {} '{}'", is_command ? "command" : "argument", given);
    const bool is_file = !given.starts_with('-') && command.get_option_no_throw("--config");
    if (const std::string name = meant(command, given); !name.empty()) {
      message += fmt::format("; did you mean \"{}\"?", name);
    } else if (is_file) {
      message += fmt::format("; a configuration is named with -c: -c {}", given);
    }
  }
  complain("patchbay: {}\n", message);
  if (!json_errors()) complain("Run {} --help for more information.\n", full_name(command));
  return kExitUsage;
}

std::vector<std::string> mark_program(const CLI::App& app, std::vector<std::string> args) {
  if (args.empty() || (args.front() != "sandbox" && args.front() != "add")) return args;
  const bool named = args.front() == "add";  // The name of the upstream is first.
  const CLI::App& command = *app.get_subcommand(args.front());
  std::size_t positionals = 0;
  for (std::size_t at = 1; at < args.size(); ++at) {
    const std::string& arg = args[at];
    if (arg == "--") return args;
    if (arg.starts_with('-') && arg.size() > 1) {
      const auto* const option = command.get_option_no_throw(arg);
      if (option && option->get_items_expected_max() > 0) ++at;
    } else if (positionals++ == (named ? 1 : 0)) {
      const bool is_url = named && arg.find("://") != std::string::npos;
      if (!is_url) args.insert(args.begin() + static_cast<std::ptrdiff_t>(at), "--");
      return args;
    }
  }
  return args;
}

const CLI::App* find_command(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* command = &app;
  for (const auto& name : path) {
    const auto found =
        command->get_subcommands([&name](const CLI::App* one) { return one->get_name() == name; });
    if (found.empty()) {
      const std::string suggested = meant(*command, name);
      complain("patchbay: unknown command '{}'{}\n", name,
               suggested.empty() ? "" : fmt::format("; did you mean \"{}\"?", suggested));
      return nullptr;
    }
    command = found.front();
  }
  return command;
}

}  // namespace patchbay::app
