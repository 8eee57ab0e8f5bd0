// The waterfall of one call: its stages one below the other, each with a bar to scale.
//
// The main thread of a command.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace patchbay::app {

struct WaterfallStyle {
  std::size_t columns = 80;  // Of the terminal.
  bool blocks = false;       // Bars of block characters instead of `#`.
  std::FILE* out = stdout;   // Colours are for a terminal only.
};

// How `out` shows it: its width, and whether it has block characters.
WaterfallStyle waterfall_style(std::FILE* out);

// `call` is a Call of the control API, raw. `offset_ms` is how long after the first call of the
// trace it began; negative: it is the only one.
std::string waterfall(std::string_view call, double offset_ms, const WaterfallStyle& style);

}  // namespace patchbay::app
