// The settings of the REST frontend. Values only.
#pragma once

#include <string>

#include "config/settings.h"

namespace patchbay::frontends {

struct RestSettings {
  bool enabled = true;
  std::string topology;
  bool openapi = true;
  bool swagger_ui = true;
};

}  // namespace patchbay::frontends

namespace patchbay {

template <>
const config::Fields& config::fields<frontends::RestSettings>();

}  // namespace patchbay
