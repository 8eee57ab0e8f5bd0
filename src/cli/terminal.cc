#include "cli/terminal.h"

#include <unistd.h>

#include "json/invisible.h"

namespace patchbay::app {

void print_raw(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_text(std::FILE* out, std::string_view text) {
  std::string printable(text);
  if (::isatty(::fileno(out)) == 1) json::escape_invisible(printable);
  printable += '\n';
  std::fwrite(printable.data(), 1, printable.size(), out);
}

}  // namespace patchbay::app
