// What the commands print. Much of it is foreign: names, descriptions, errors, results. None of it
// may move the cursor of the person who reads it, turn its text round or add a line of its own.
//
// The main thread of a command.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace patchbay::app {

// `text` on one line, with what is not visible written as escapes.
std::string on_line(std::string_view text);

// A text as on_line() shows it, anything else as it is.
template <class Arg>
decltype(auto) shown(const Arg& arg) {
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

// To stdout and to stderr. The texts among `args` are foreign, the form is ours.
template <class... Args>
void print(fmt::format_string<const Args&...> form, const Args&... args) {
  print_raw(fmt::format(fmt::runtime(fmt::string_view(form)), shown(args)...));
}
template <class... Args>
void complain(fmt::format_string<const Args&...> form, const Args&... args) {
  const std::string text = fmt::format(fmt::runtime(fmt::string_view(form)), shown(args)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace patchbay::app
