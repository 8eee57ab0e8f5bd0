#include "transport/wire_url.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace patchbay::transport {
namespace {

struct Scheme {
  std::string_view prefix;
  std::string_view like;  // A scheme of the same shape that is known.
};
constexpr std::array kSchemes{
    Scheme{"tcp://", "http://"},
    Scheme{"tcps://", "https://"},
    Scheme{"tcp+tls://", "https://"},
};

// The port stands behind the last colon that is not within an IPv6 address.
bool names_port(std::string_view authority) {
  const auto colon = authority.rfind(':');
  return colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
}

}  // namespace

bool is_wire_url(std::string_view text) {
  for (const auto& scheme : kSchemes) {
    if (text.starts_with(scheme.prefix)) return true;
  }
  return false;
}

Result<net::Url> parse_wire_url(std::string_view text) {
  for (const auto& scheme : kSchemes) {
    if (!text.starts_with(scheme.prefix)) continue;
    const std::string_view authority = text.substr(scheme.prefix.size());
    auto url = net::parse_url(std::string(scheme.like).append(authority));
    if (!url) return url;
    if (url->path != "/") {
      return Error{Code::invalid_params, fmt::format("'{}' has a path, which means nothing", text)};
    }
    if (!names_port(authority)) url->port = kWirePort;
    return url;
  }
  return Error{Code::invalid_params,
               fmt::format("'{}' is not of the form tcp://host:port or tcps://host:port", text)};
}

}  // namespace patchbay::transport
