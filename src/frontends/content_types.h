// Which content types a request accepts. Pure.
#pragma once

#include <string>
#include <string_view>

#include "net/http/server/exchange.h"

namespace patchbay::frontends {

inline constexpr std::string_view kJsonUtf8 = "application/json; charset=utf-8";

// True if the client accepts that type, or has no preference.
inline bool accepts(const net::HttpRequest& request, std::string_view type) {
  const auto accept = request.fields.find("Accept");
  if (!accept) return true;
  const auto slash = type.find('/');
  return net::has_token(*accept, type) || net::has_token(*accept, "*/*") ||
         net::has_token(*accept, std::string(type.substr(0, slash)) + "/*");
}

}  // namespace patchbay::frontends
