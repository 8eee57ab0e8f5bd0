// version: the version of this program, and the compiler and libraries of its build.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/version.h"
#include "json/text.h"

#if !defined(PATCHBAY_BUILT_WITH)
#define PATCHBAY_BUILT_WITH ""
#endif

namespace patchbay::app {
namespace {

// Calls `use` with the name and the version of each library, in the order of the build.
template <class Use>
void each_library(Use use) {
  for (std::string_view rest = PATCHBAY_BUILT_WITH; !rest.empty();) {
    const auto end = std::min(rest.find(';'), rest.size());
    const auto entry = rest.substr(0, end);
    const auto space = entry.find(' ');
    if (space != std::string_view::npos) use(entry.substr(0, space), entry.substr(space + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

int print_version(bool verbose, bool as_json) {
  std::string text = as_json ? fmt::format("{{\"version\":{}", json::quote(kVersion))
                             : fmt::format("patchbay {}\n", kVersion);
  if (verbose && as_json) {
    text += fmt::format(",\"compiler\":{},\"built_with\":{{", json::quote(__VERSION__));
    std::string_view comma;
    each_library([&](std::string_view name, std::string_view version) {
      text += fmt::format("{}{}:{}", std::exchange(comma, ","), json::quote(name),
                          json::quote(version));
    });
    text += '}';
  } else if (verbose) {
    text += fmt::format("{:<20} {}\n", "compiler", __VERSION__);
    each_library([&](std::string_view name, std::string_view version) {
      text += fmt::format("{:<20} {}\n", name, version);
    });
  }
  print_raw(text + (as_json ? "}\n" : ""));
  return kExitOk;
}

}  // namespace patchbay::app
