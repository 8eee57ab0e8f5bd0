// What the commands print. Much of it comes from servers: names, descriptions, errors, results. It
// must not move the cursor, reverse the direction of text or add lines.
//
// The main thread of a command.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

#include "app/one_line.h"
#include "config/node.h"

namespace patchbay::app {

// A text as on_line() shows it, anything else as it is.
template <class Arg>
decltype(auto) for_terminal(const Arg& arg) {
  if constexpr (std::convertible_to<const Arg&, std::string_view>) {
    return on_line(arg);
  } else {
    return (arg);
  }
}

// As it is: for programs, and for texts of our own.
void print_raw(std::string_view text);

// Text of several lines, such as the result of a tool, and a line feed. What is not visible is
// written as escapes on a terminal; in a pipe or a file the text stays as it is.
void print_text(std::FILE* out, std::string_view text);

// From now on errors are JSON: {"error":{"message":…}}, for programs.
void use_json_errors();
bool json_errors();

// The faults of a configuration, one per line, or as JSON.
void report_faults(const config::Faults& faults);

// To stderr. An error begins with `patchbay: `.
void write_complaint(std::string_view text);

// To stdout and to stderr. The texts among `args` are foreign, the form is ours.
template <class... Args>
void print(fmt::format_string<const Args&...> form, const Args&... args) {
  print_raw(fmt::format(fmt::runtime(fmt::string_view(form)), for_terminal(args)...));
}
template <class... Args>
void complain(fmt::format_string<const Args&...> form, const Args&... args) {
  write_complaint(fmt::format(fmt::runtime(fmt::string_view(form)), for_terminal(args)...));
}

}  // namespace patchbay::app
