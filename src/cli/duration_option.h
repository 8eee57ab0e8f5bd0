// One notation of time for all options: `30s`, `1m30s`, `7d`; a bare number is seconds.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "config/units.h"

namespace patchbay::app {

// Turns such a text into seconds, and refuses those out of range.
inline CLI::Validator seconds_option() {
  const auto convert = [](std::string& text) -> std::string {
    const std::string given = text;
    if (auto duration = config::parse_duration(text)) {
      text = std::to_string(static_cast<double>(duration->count()) / 1000);
    }
    return CLI::Range(0.1, 86400.0)(text).empty()
               ? ""
               : given + " is not a time between 100ms and 1d, such as 30s";
  };
  return {convert, "TIME"};
}

}  // namespace patchbay::app
