// Reads the PROXY protocol header of a connection. Runs on the worker of the connection.
#pragma once

#include <optional>

#include "net/io/peer_address.h"
#include "net/io/trusted_proxies.h"
#include "net/stream/stream.h"

namespace patchbay::net {

// The client's address as the proxy at the other end, `from`, states it; none if the proxy made the
// connection for itself or does not know the address. What follows the header is left in the
// stream. A failure is logged. REQUIRES: nothing was read yet; `proxies` outlives the task.
Task<std::optional<PeerAddress>> read_proxy_header(Stream& stream, PeerAddress from,
                                                   const TrustedProxies& proxies);

// Logs that a client was refused at a listener that requires the header.
void log_unnamed_proxy(const PeerAddress& from);

}  // namespace patchbay::net
