// Durations and sizes as written in a configuration: `1m30s`, `16MiB`. Values only; usable from any
// thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::config {

using Duration = std::chrono::milliseconds;

struct Bytes {
  std::uint64_t value = 0;
  auto operator<=>(const Bytes&) const = default;
};

// `250ms`, `30s`, `1m`, `2h`, `7d`, larger units first when combined (`1m30s`), or `0`. A number
// without a unit is refused, since it is ambiguous.
Result<Duration> parse_duration(std::string_view text);

// `1000`, `64KiB`, `16MiB`, `1GiB`, `1TiB`; decimal `1KB`, `10MB`, `1GB`, `1TB`; `512B`.
Result<Bytes> parse_bytes(std::string_view text);

// A form that parses to the same value, without days.
std::string print(Duration duration);
std::string print(Bytes bytes);

// The same grammars as regular expressions, for JSON Schema.
inline constexpr std::string_view kDurationPattern =
    "^(0|[0-9]+d([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?|[0-9]+h([0-9]+m)?([0-9]+s)?([0-9]+ms)?|["
    "0-9]+m([0-9]+s)?([0-9]+ms)?|"
    "[0-9]+s([0-9]+ms)?|[0-9]+ms)$";
inline constexpr std::string_view kBytesPattern = "^[0-9]+(B|[KMGT]i?B)?$";

}  // namespace patchbay::config
