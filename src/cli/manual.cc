// The manual page, in the macros of man(7).
#include <fmt/format.h>

#include "cli/command_table.h"

namespace patchbay::app {
namespace {

// Text that troff prints as it is.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  // At the begin of a line these two begin a request.
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string synopsis(const CommandRow& row) {
  std::string out = fmt::format("\\fB{}\\fR", roff(row.path));
  if (!row.commands.empty()) out += " \\fICOMMAND\\fR";
  bool options = false;
  for (const auto& option : row.options) options |= !option.positional;
  if (options) out += " [\\fIoptions\\fR]";
  for (const auto& option : row.options) {
    if (option.positional) out += fmt::format(" \\fI{}\\fR", roff(option.names.front()));
  }
  return out;
}

void append_options(std::string& out, const CommandRow& row) {
  for (const auto& option : row.options) {
    std::string names;
    for (const auto& name : option.names) {
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
    }
    if (option.takes_value && !option.positional) {
      names +=
          option.choices.empty()
              ? " \\fIvalue\\fR"
              : fmt::format(" \\fI{}\\fR", roff(fmt::format("{}", fmt::join(option.choices, "|"))));
    }
    out += fmt::format(".TP\n{}\n{}\n", names, roff(option.help));
  }
}

void append_command(std::string& out, const CommandRow& row) {
  out += fmt::format(".SS {}\n{}\n", synopsis(row), roff(row.help));
  if (!row.footer.empty()) out += fmt::format(".PP\n{}\n", roff(row.footer));
  append_options(out, row);
  for (const auto& command : row.commands) append_command(out, command);
}

}  // namespace

std::string manual_page(const CommandRow& root, std::string_view version) {
  std::string out = fmt::format(
      ".TH PATCHBAY 1 \"\" \"patchbay {}\" \"User Commands\"\n.SH NAME\npatchbay \\- a gateway "
      "between AI agents and tools\n.SH SYNOPSIS\n{}\n.SH OPTIONS\n",
      roff(version), synopsis(root));
  append_options(out, root);
  out += ".SH COMMANDS\n";
  for (const auto& command : root.commands) append_command(out, command);
  return out + fmt::format(".SH EXIT STATUS\n{}\n", roff(root.footer));
}

}  // namespace patchbay::app
