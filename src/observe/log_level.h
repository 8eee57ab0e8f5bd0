// The levels of log lines. Values.
#pragma once

#include <cstdint>

namespace patchbay::log {

enum class Level : std::uint8_t { debug, info, warn, error, off };

}  // namespace patchbay::log
