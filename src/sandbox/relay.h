// The egress of a sandbox, as seen from inside: programs that only support HTTP proxies connect to
// a port of the sandbox's own loopback, and each connection is relayed to the one Unix socket of
// the gateway. The gateway decides what is allowed.
//
// For a process with one thread.
#pragma once

#include <span>
#include <string_view>

namespace patchbay::sandbox {

inline constexpr char kRelayCommand[] = "relay";

// Where programs find the proxy, and where it leads.
inline constexpr std::string_view kProxyAddress = "127.0.0.1:3128";
inline constexpr std::string_view kEgressInside = "/run/patchbay-egress";

// `CONNECTIONS HALF_OPEN -- PROGRAM ARGS…`: starts a process that relays so many connections at
// once and closes half-open ones after so many milliseconds without a byte, then becomes the
// program. Yields an exit code if that fails.
int run_relay(std::span<char* const> args);

}  // namespace patchbay::sandbox
