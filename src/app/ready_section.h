// The conditions under which a gateway reports that it is ready.
//
// Values only.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace patchbay::app {

struct ReadySection {
  std::vector<std::string> upstreams;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::ReadySection>();

}  // namespace patchbay
