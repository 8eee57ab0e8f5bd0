#include "agent/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/protocol.h"

namespace patchbay::agent {
namespace {

Error wrong(std::string why) {
  return {Code::invalid_params, std::move(why) + "; see patchbay-agent --help"};
}

// Sets the option that takes a value.
Result<void> set(std::string_view name, std::string_view value, Settings& settings) {
  if (name == "--listen") {
    settings.listen.emplace_back(value);
    return ok();
  }
  if (name == "--root") {
    settings.root = value;
    return ok();
  }
  if (name == "--token-file") {
    settings.token_file = value;
    return ok();
  }
  const auto* const option = std::ranges::find(kNumberOptions, name, &NumberOption::name);
  if (option == kNumberOptions.end()) return wrong(fmt::format("there is no option {}", name));
  const auto number = as_u64(value);
  if (!number || *number < option->least || *number > option->most) {
    return wrong(fmt::format("{} must be a number from {} to {}, not '{}'", name, option->least,
                             option->most, value));
  }
  settings.*option->value = *number;
  return ok();
}

}  // namespace

Result<CommandLineAction> parse_command_line(std::span<char* const> args, Settings& settings) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "-h" || arg == "--help") return CommandLineAction::help;
    if (arg == "--version") return CommandLineAction::version;
    if (arg == "--null-id") {
      settings.null_id = true;
      continue;
    }
    if (arg == "--guard") {
      settings.guard = true;
      continue;
    }
    if (!arg.starts_with("--")) return wrong(fmt::format("'{}' is not an option", arg));
    const auto equals = arg.find('=');
    const bool apart = equals == std::string_view::npos;
    if (apart && i + 1 == args.size()) return wrong(fmt::format("{} needs a value", arg));
    const std::string_view value = apart ? args[++i] : arg.substr(equals + 1);
    auto done = set(arg.substr(0, equals), value, settings);
    if (!done) return done.error();
  }
  return CommandLineAction::run;
}

std::string usage() {
  std::string text =
      "usage: patchbay-agent [OPTIONS]\n\n"
      "Runs programs and moves files for a host: the guest in a sandbox.\n\n";
  const auto row = [&text](std::string_view name, std::string_view meaning) {
    text += fmt::format("  {:<20} {}\n", name, meaning);
  };
  row("--listen", kListenMeaning);
  row("--root", kRootMeaning);
  row("--token-file", kTokenMeaning);
  row("--null-id", kNullIdMeaning);
  row("--guard", kGuardMeaning);
  const Settings usual;
  for (const auto& option : kNumberOptions) {
    row(option.name, fmt::format("{} ({})", option.meaning, usual.*option.value));
  }
  row("--version", "Prints the version.");
  return text;
}

}  // namespace patchbay::agent
