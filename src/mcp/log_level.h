// The levels of log messages in MCP, least important first. Facts only.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace patchbay::mcp {

inline constexpr std::array<std::string_view, 8> kLogLevels{
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

// Its index in the list; empty if there is no such level.
constexpr std::optional<int> log_level(std::string_view name) {
  const auto* const found = std::ranges::find(kLogLevels, name);
  if (found == kLogLevels.end()) return std::nullopt;
  return static_cast<int>(found - kLogLevels.begin());
}

}  // namespace patchbay::mcp
