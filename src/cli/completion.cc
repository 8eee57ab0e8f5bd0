// Completion for shells. Files are completed where nothing else fits.
#include <fmt/format.h>

#include "cli/command_table.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kHelp = "help";

std::string_view last_name(const CommandRow& row) {
  return std::string_view(row.path).substr(row.path.rfind(' ') + 1);
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

// In single quotes, for a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

template <class Visit>
void each_command(const CommandRow& row, const Visit& visit) {
  visit(row);
  for (const auto& command : row.commands) each_command(command, visit);
}

// What can follow a command: its commands and options.
std::string candidates_after(const CommandRow& row) {
  std::vector<std::string> all;
  for (const auto& command : row.commands) all.emplace_back(last_name(command));
  for (const auto& option : row.options) {
    if (option.positional) {
      all.insert(all.end(), option.choices.begin(), option.choices.end());
    } else {
      all.insert(all.end(), option.names.begin(), option.names.end());
    }
  }
  return joined(all, " ");
}

std::string value_cases(const CommandRow& root) {
  std::string cases;
  each_command(root, [&](const CommandRow& row) {
    for (const auto& option : row.options) {
      if (option.positional || !option.takes_value) continue;
      std::vector<std::string> patterns;
      for (const auto& name : option.names) patterns.push_back(shell_quoted(row.path + " " + name));
      cases +=
          fmt::format("    {}) values={} ;;\n", joined(patterns, "|"),
                      option.choices.empty() ? "@file" : shell_quoted(joined(option.choices, " ")));
    }
  });
  return cases;
}

}  // namespace

std::string bash_completion(const CommandRow& root) {
  std::vector<std::string> paths;
  std::string lists;
  each_command(root, [&](const CommandRow& row) {
    // What follows `help` is completed as if `help` were not there.
    if (&row != &root && last_name(row) != kHelp) paths.push_back(shell_quoted(row.path));
    lists += fmt::format("    {}) values={} ;;\n", shell_quoted(row.path),
                         shell_quoted(candidates_after(row)));
  });
  return fmt::format(R"(# Completion of patchbay for bash: source <(patchbay completion bash)
_patchbay() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command={} values= item
  for item in "${{COMP_WORDS[@]:1:$((COMP_CWORD-1))}}"; do
    case "$command $item" in
    {}) command="$command $item" ;;
    esac
  done
  case "$command $previous" in
{}    *) case $command in
{}    esac ;;
  esac
  COMPREPLY=()
  [ "$values" = @file ] || COMPREPLY=($(compgen -W "$values" -- "$current"))
}}
complete -o default -F _patchbay {}
)",
                     root.path, joined(paths, "|"), value_cases(root), lists, root.path);
}

std::string zsh_completion(const CommandRow& root) {
  return "#compdef " + root.path +
         "\n# Completion of patchbay for zsh: source <(patchbay completion zsh)\n"
         "(( $+functions[compdef] )) || { autoload -U compinit && compinit }\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(root);
}

std::string fish_completion(const CommandRow& root) {
  std::string out = "# Completion of patchbay for fish: patchbay completion fish | source\n";
  each_command(root, [&](const CommandRow& row) {
    std::vector<std::string> below;
    for (const auto& command : row.commands) below.emplace_back(last_name(command));
    std::string seen;
    for (std::string_view rest = std::string_view(row.path).substr(root.path.size());
         !rest.empty();) {
      rest.remove_prefix(1);
      const auto name = rest.substr(0, rest.find(' '));
      seen += fmt::format("{}__fish_seen_subcommand_from {}", seen.empty() ? "" : "; and ", name);
      rest.remove_prefix(name.size());
    }
    std::string condition = seen.empty() ? "__fish_use_subcommand" : seen;
    if (!seen.empty() && !below.empty()) {
      condition += fmt::format("; and not __fish_seen_subcommand_from {}", joined(below, " "));
    }
    for (const auto& command : row.commands) {
      out += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", root.path,
                         shell_quoted(condition), last_name(command), shell_quoted(command.help));
    }
    for (const auto& option : row.options) {
      if (option.positional && option.choices.empty()) continue;
      out += fmt::format("complete -c {} -n {}", root.path, shell_quoted(condition));
      if (option.positional) {
        out += fmt::format(" -f -a {} -d {}\n", shell_quoted(joined(option.choices, " ")),
                           shell_quoted(option.help));
        continue;
      }
      for (const auto& name : option.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value) out += " -r";
      if (!option.choices.empty()) out += " -f -a " + shell_quoted(joined(option.choices, " "));
      out += fmt::format(" -d {}\n", shell_quoted(option.help));
    }
    if (last_name(row) == kHelp) {
      for (const auto& command : root.commands) {
        out += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", root.path,
                           shell_quoted(condition), last_name(command), shell_quoted(command.help));
      }
    }
  });
  return out;
}

}  // namespace patchbay::app
