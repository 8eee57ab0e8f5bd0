// Whether a text is one of a few. Pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace patchbay::config {

constexpr bool is_one_of(const auto& choices, std::string_view text) {
  return std::ranges::find(choices, text) != choices.end();
}

}  // namespace patchbay::config
