// The version of this build.
#pragma once

#include <string_view>

namespace patchbay {

inline constexpr std::string_view kVersion = PATCHBAY_VERSION;

}  // namespace patchbay
