#include "transport/wire/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace patchbay::transport {
namespace {

constexpr std::array kSchemes{net::UrlScheme{"tcp", false, kWirePort},
                              net::UrlScheme{"tcps", true, kWirePort},
                              net::UrlScheme{"tcp+tls", true, kWirePort}};

}  // namespace

bool is_wire_url(std::string_view text) {
  return std::ranges::any_of(kSchemes, [&text](const net::UrlScheme& scheme) {
    return text.starts_with(fmt::format("{}://", scheme.name));
  });
}

Result<net::Url> parse_wire_url(std::string_view text) {
  auto url = net::parse_url(text, kSchemes);
  if (url && url->path != "/") {
    return Error{Code::invalid_params,
                 fmt::format("'{}' has a path, which this protocol does not use", text)};
  }
  return url;
}

}  // namespace patchbay::transport
