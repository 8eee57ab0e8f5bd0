// The check of every harness that an invariant holds.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace patchbay::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// libFuzzer hands over a block of exactly this size, so reading past the end is a fault.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace patchbay::fuzz
