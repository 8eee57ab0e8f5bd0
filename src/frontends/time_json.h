// A point in time as the APIs of the gateway write it. Pure.
#pragma once

#include <chrono>
#include <string>

#include "json/text.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {

// "2026-11-15T04:00:00.123Z", or null for one that never comes.
inline std::string time_json(std::chrono::system_clock::time_point when) {
  if (when == std::chrono::system_clock::time_point::max()) return "null";
  const auto since = when.time_since_epoch();
  return json::quote(
      policy::time_text(std::chrono::duration_cast<std::chrono::milliseconds>(since).count()));
}

}  // namespace patchbay::frontends
