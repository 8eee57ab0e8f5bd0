// The manual page, in the macros of man(7).
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "cli/command_table.h"

namespace patchbay::app {
namespace {

// The character at the front of `text`, which is UTF-8, as troff writes it in ASCII.
std::string take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  std::uint32_t code = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < std::min(size, text.size()); ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  text.remove_prefix(std::min(size, text.size()));
  return fmt::format("\\[u{:04X}]", code);
}

// Text that troff prints as it is.
std::string roff(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += take_character(text);
      continue;
    }
    text.remove_prefix(1);
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  // At the beginning of a line these two start a request.
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
      ".TH PATCHBAY 1 \"{:%F}\" \"patchbay {}\" \"User Commands\"\n.SH NAME\npatchbay \\- a "
      "gateway "
      "between AI agents and tools\n.SH SYNOPSIS\n{}\n.SH OPTIONS\n",
      std::chrono::system_clock::now(), roff(version), synopsis(root));
  append_options(out, root);
  out += ".SH COMMANDS\n";
  for (const auto& command : root.commands) append_command(out, command);
  return out + fmt::format(".SH EXIT STATUS\n{}\n", roff(root.footer));
}

}  // namespace patchbay::app
