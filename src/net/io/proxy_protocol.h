// The header of the PROXY protocol, versions 1 and 2: what a proxy writes at the beginning of a
// connection to state the client's address. Pure.
//
//   std::string bytes;
//   while (auto missing = missing_of_proxy_header(bytes, most)) {   // An error: refuse the client.
//     if (*missing == 0) break;
//     … append exactly so many bytes of the connection …
//   }
//   auto source = parse_proxy_header(bytes);
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "net/io/peer_address.h"

namespace patchbay::net {

// How many more bytes are certain to belong to the header of which `bytes` have arrived; 0: it is
// complete. What follows the header is never included, since it may be a TLS handshake. Fails if
// this is no header, or one of more than `most` bytes.
Result<std::size_t> missing_of_proxy_header(std::string_view bytes, std::size_t most);

// The client's address. None if the proxy made the connection for itself (a health check) or does
// not know the address. REQUIRES: nothing is missing.
Result<std::optional<PeerAddress>> parse_proxy_header(std::string_view header);

}  // namespace patchbay::net
