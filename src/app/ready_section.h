// What the configuration requires of a gateway that calls itself ready. Values only.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::app {

struct ReadySection {
  std::vector<std::string> upstreams;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::fields<app::ReadySection> = std::tuple{
    Field{"required_upstreams", &app::ReadySection::upstreams,
          "Upstreams that must be up, by name; `*` stands for any characters. While one of them is "
          "down, `/ready` answers 503. Any other that is down makes the gateway `degraded`, which "
          "is answered with 200."},
};

}  // namespace patchbay
