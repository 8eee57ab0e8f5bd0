// The section `stop`: how a gateway stops, and how a new process replaces it.
//
// Values only.
#pragma once

#include <tuple>

#include "config/settings.h"

namespace patchbay::app {

struct StopSection {
  config::Duration announce{0};
  config::Duration grace{10'000};
  config::Duration upgrade_timeout{60'000};
  config::Duration handover_timeout{300'000};
};

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::StopSection>();

}  // namespace patchbay
