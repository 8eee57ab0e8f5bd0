// Error messages about paths, the same for every request.
//
// Values only; usable from any thread.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "core/error.h"

namespace patchbay::agent {

inline Error path_fault(std::string_view what, std::string_view path, std::string_view why) {
  return {Code::internal, fmt::format("failed to {} '{}': {}", what, path, why)};
}

// The reason is errno. A path that leads out of the agent's folder is reported as such.
inline Error path_fault(std::string_view what, std::string_view path) {
  const bool outside = errno == EXDEV;
  return path_fault(what, path,
                    outside ? "the path leads out of the agent's folder" : std::strerror(errno));
}

}  // namespace patchbay::agent
