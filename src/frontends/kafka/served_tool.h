// A ServedTool is a tool as callers on the bus find it: its registration, its topics, its schemas.
//
// Values only.
#pragma once

#include <optional>
#include <string>

#include "bus/registration.h"

namespace patchbay::frontends {

struct ServedTool {
  std::string tool;  // As the catalog lists it.
  bus::Registration registration;
  std::string input;  // Raw schemas; empty: none.
  std::string output;
  std::optional<int> reply_schema = {};

  std::string dead_letters() const { return registration.request_topic + ".dead-letter"; }
};

}  // namespace patchbay::frontends
