// The error for a system call that has just failed: what could not be done, and why, as `errno` has
// it. Usable from any thread.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/result.h"

namespace patchbay::net {

inline Error system_failure(std::string_view what) {
  return {Code::unavailable, fmt::format("{}: {}", what, std::strerror(errno))};
}

}  // namespace patchbay::net
