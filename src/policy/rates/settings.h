// The section `rates`. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"

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
const config::Fields& config::fields<policy::RateSettings>();

}  // namespace patchbay
