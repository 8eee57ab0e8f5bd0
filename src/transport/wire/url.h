// Addresses of gateways that speak the wire protocol on TCP: `tcp://host[:port]`, and `tcps://`
// (also written `tcp+tls://`) with TLS; the default port is 8444. Pure.
#pragma once

#include <string_view>

#include "net/http/syntax/url.h"

namespace patchbay::transport {

inline constexpr int kWirePort = 8444;

// True if the text has that scheme, whether or not it is valid.
bool is_wire_url(std::string_view text);

Result<net::Url> parse_wire_url(std::string_view text);

}  // namespace patchbay::transport
