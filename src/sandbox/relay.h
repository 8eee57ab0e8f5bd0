// The way out of a sandbox with `egress`, as seen from inside: programs that know nothing but HTTP
// proxies connect to a port of the sandbox's own loopback, and each connection goes on to the one
// Unix socket that leads to the gateway. What is allowed is decided there, not here.
//
// For a process with one thread.
#pragma once

#include <span>
#include <string_view>

namespace patchbay::sandbox {

inline constexpr char kRelayWord[] = "relay";

// Where programs find the proxy, and where it leads.
inline constexpr std::string_view kProxyAddress = "127.0.0.1:3128";
inline constexpr std::string_view kEgressInside = "/run/patchbay-egress";

// `CONNECTIONS HALF_OPEN -- PROGRAM ARGS…`: leaves a process behind that relays so many connections
// at once, keeps one of which one side has ended for so many milliseconds without a byte, and
// becomes the program. Yields an exit code if that fails.
int run_relay(std::span<char* const> words);

}  // namespace patchbay::sandbox
