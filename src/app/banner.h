// What `patchbay serve` says on stdout when it starts: what runs, where, and what to type next.
#pragma once

#include <vector>

#include "app/configuration.h"
#include "app/upstream_set.h"
#include "net/socket.h"

namespace patchbay::app {

void print_head(const Configuration& configuration, const net::Address& address);

// The TLS listener, which has all of these faces too.
void print_tls(const TlsSection& section, const net::Address& address);

// The TCP listener of the wire protocol.
void print_wire(const net::Address& address, bool tls);

// `bus` is where the embedded bus is; empty if there is none.
void print_ready(const std::vector<UpstreamReport>& upstreams, const std::string& bus,
                 const net::Address& address);

}  // namespace patchbay::app
