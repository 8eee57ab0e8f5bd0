#include "cli/ask_inputs.h"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "app/client_file.h"
#include "app/one_line.h"
#include "config/load.h"
#include "core/environment.h"

namespace patchbay::app {
namespace {

// The terminal does not show what is typed while this exists.
class Hidden {
 public:
  explicit Hidden(bool on) : on_(on && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!on_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &silent);
  }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;
  ~Hidden() {
    if (!on_) return;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    fmt::print(stderr, "\n");
  }

 private:
  termios before_{};
  const bool on_;
};

void ask(const ClientInput& input) {
  std::string question =
      on_line(input.description.empty() ? input.id : std::string_view(input.description));
  std::string options;
  for (const auto& option : input.options) {
    options += fmt::format("{}{}", options.empty() ? "" : ", ", on_line(option));
  }
  if (!options.empty()) question += fmt::format(" ({})", options);
  if (!input.fallback.empty()) question += fmt::format(" [{}]", on_line(input.fallback));
  std::string answer;
  {
    // Before the question, so that no answer is visible however fast it is typed.
    const Hidden hidden(input.password);
    fmt::print(stderr, "{}: ", question);
    std::fflush(stderr);
    std::getline(std::cin, answer);
  }
  if (!answer.empty()) ::setenv(input.variable.c_str(), answer.c_str(), 1);
}

}  // namespace

void ask_inputs(const std::string& file) {
  if (file.empty() || ::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return;
  config::Faults faults;  // Reported when the file is loaded.
  for (const auto& input : client_inputs(config::parse_file(file, faults))) {
    if (!read_variable(input.variable)) ask(input);
  }
}

}  // namespace patchbay::app
