// An entry as it is on the server: `version:sealed`.
//
// Pure; usable from any thread.
#pragma once

#include <charconv>
#include <string_view>

#include "store/store.h"

namespace patchbay::store {

inline Version version_in(std::string_view text) {
  Version version = kAbsent;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

inline std::string_view sealed_in(std::string_view entry) {
  const auto colon = entry.find(':');
  return colon == std::string_view::npos ? std::string_view() : entry.substr(colon + 1);
}

}  // namespace patchbay::store
