// The section `rates`. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::policy {

// What a bound is counted by.
enum class Per : std::uint8_t { principal, address, tool, upstream, everyone };

struct RateSettings {
  Per per = Per::principal;
  std::vector<std::string> of = {};     // Patterns over upstream.tool; none: all calls.
  std::vector<std::string> roles = {};  // Callers with one of these; none: all callers.
  int calls = 0;                        // In a window; 0: any number.
  config::Duration window{60'000};
  int burst = 0;    // 0: as many as `calls`.
  int running = 0;  // At once; 0: any number.

  bool operator==(const RateSettings&) const = default;
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
inline constexpr auto config::choices<policy::Per> = std::array{
    Choice{"principal", policy::Per::principal}, Choice{"address", policy::Per::address},
    Choice{"tool", policy::Per::tool},           Choice{"upstream", policy::Per::upstream},
    Choice{"everyone", policy::Per::everyone},
};

template <>
inline constexpr auto config::fields<policy::RateSettings> = std::tuple{
    Field{"per", &policy::RateSettings::per,
          "Whose calls are counted together: those of a principal, from an address, to a tool, to "
          "an upstream, or everyone's."},
    Field{"of", &policy::RateSettings::of,
          "Only calls of these tools: patterns over upstream.tool. Absent: all calls."},
    Field{"roles", &policy::RateSettings::roles,
          "Only calls of callers with one of these roles. Absent: all callers."},
    Field{"calls", &policy::RateSettings::calls, "How many calls in a window; 0: any number.",
          Range{0, 1'000'000'000}},
    Field{"window", &policy::RateSettings::window, "The time in which `calls` may be made.",
          Range{Duration(100), Duration(86'400'000)}},
    Field{"burst", &policy::RateSettings::burst,
          "How many of them may come at one moment; 0: as many as `calls`.",
          Range{0, 1'000'000'000}},
    Field{"running", &policy::RateSettings::running, "How many may run at once; 0: any number.",
          Range{0, 1'000'000}},
};

}  // namespace patchbay
