// The client's address as reverse proxies state it: X-Forwarded-For, or Forwarded (RFC 7239). Pure.
//
// Each proxy appends the address that it was contacted from, so only the end of the list can be
// trusted: it is read from the right, and the first address that is not a named proxy is the
// client's. Anything to the left of it came from the client.
#pragma once

#include <optional>

#include "net/http/syntax/parse.h"
#include "net/io/peer_address.h"
#include "net/io/trusted_proxies.h"

namespace patchbay::net {

// The client of a request that `from` has sent: `from` itself if it is not a named proxy, or if the
// stated address is absent or malformed.
PeerAddress forwarded_client(const HttpFields& fields, const PeerAddress& from,
                             const TrustedProxies& proxies);

// An address as these headers have it: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1] or
// [2001:db8::1]:80.
std::optional<PeerAddress> forwarded_address(std::string_view text);

}  // namespace patchbay::net
