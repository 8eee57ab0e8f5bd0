// The section `reload`: how changed configuration files are loaded.
//
// Values only.
#pragma once

#include <tuple>

#include "config/settings.h"

namespace patchbay::app {

struct ReloadSection {
  config::Duration stable_interval{100};
  bool allow_weaker = false;
  int max_history = 50;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::ReloadSection>();

}  // namespace patchbay
