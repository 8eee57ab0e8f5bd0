#include "cli/terminal.h"

#include <unistd.h>

#include "app/one_line.h"
#include "json/invisible.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

bool errors_as_json = false;  // Set before there are other threads.

}  // namespace

void use_json_errors() { errors_as_json = true; }
bool json_errors() { return errors_as_json; }

void write_complaint(std::string_view text) {
  constexpr std::string_view kError = "patchbay: ";
  std::string line(text);
  if (errors_as_json && text.starts_with(kError)) {
    text.remove_prefix(kError.size());
    if (text.ends_with('\n')) text.remove_suffix(1);
    line = fmt::format("{{\"error\":{{\"message\":{}}}}}\n", json::quote(text));
  }
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void report_faults(const config::Faults& faults) {
  std::string list;
  for (const auto& fault : faults) {
    if (!errors_as_json) {
      list += on_line(config::to_string(fault)) + "\n";
      continue;
    }
    list += fmt::format(R"({}{{"file":{},"line":{},"path":{},"message":{}}})",
                        list.empty() ? "" : ",", json::quote(fault.file), fault.line,
                        json::quote(fault.path), json::quote(fault.message));
  }
  if (errors_as_json) {
    list = fmt::format(
        "{{\"error\":{{\"message\":\"the configuration is wrong\",\"faults\":[{}]}}}}\n", list);
  }
  std::fwrite(list.data(), 1, list.size(), stderr);
}

void print_raw(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_text(std::FILE* out, std::string_view text) {
  std::string printable(text);
  if (::isatty(::fileno(out)) == 1) json::escape_invisible(printable);
  printable += '\n';
  std::fwrite(printable.data(), 1, printable.size(), out);
}

}  // namespace patchbay::app
