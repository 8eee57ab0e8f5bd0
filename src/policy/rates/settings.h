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
          "What the limit applies to: each principal, each client address, each tool, each "
          "upstream, or all calls together (everyone)."},
    Field{"tools", &policy::RateSettings::of,
          "Patterns of tools, as upstream.tool. Absent: all calls.", Alias{"of"}},
    Field{"roles", &policy::RateSettings::roles,
          "Roles of the callers to which the limit applies. Absent: all callers."},
    Field{"max_calls", &policy::RateSettings::calls,
          "Maximum number of calls per window. 0: no limit.", Range{0, 1'000'000'000},
          Alias{"calls"}},
    Field{"window", &policy::RateSettings::window, "Duration of the window for `max_calls`.",
          Range{Duration(100), Duration(86'400'000)}},
    Field{"burst", &policy::RateSettings::burst,
          "Number of calls that may arrive at once. 0: as many as `max_calls`.",
          Range{0, 1'000'000'000}},
    Field{"max_concurrent_calls", &policy::RateSettings::running,
          "Maximum number of calls in progress. 0: no limit.", Range{0, 1'000'000},
          Alias{"running"}},
};

}  // namespace patchbay
