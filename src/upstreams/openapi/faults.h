// What is wrong with a document, the settings for it, or an argument of a call. Pure.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace patchbay::upstreams {

// Bytes of a document's text in a message.
inline constexpr std::size_t kMaxQuoted = 200;

inline Error openapi_fault(std::string message) {
  return {Code::invalid_params, std::move(message)};
}

inline Error openapi_argument_fault(std::string_view argument, std::string_view why) {
  return openapi_fault(fmt::format("the argument '{}' {}", argument, why));
}

}  // namespace patchbay::upstreams
