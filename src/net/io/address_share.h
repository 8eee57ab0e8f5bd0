// The share (core/shares.h) of an unauthenticated client: that of the network of its address. Also
// the share of an address in the connections.
//
// Usable from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "async/task.h"
#include "core/shares.h"
#include "net/io/peer_address.h"
#include "net/io/trusted_proxies.h"

namespace patchbay::net {

// `ip` as text; empty for our own stdin.
inline std::string share_of_address(std::string_view ip) {
  const bool here = ip.empty() || ip == "::1" || ip.starts_with("127.");
  return here ? std::string(kLocalShare) : "address " + network_text(ip);
}

inline bool is_proxy(const std::shared_ptr<const TrustedProxies>& proxies,
                     const PeerAddress& from) {
  return proxies && proxies->holds(from);
}

// A slot for a connection of that address. Code::rate_limited if it has too many. A named proxy
// connects for many clients, so its connections count in the total only.
inline Result<Shares::Share> take_connection_share(
    const PeerAddress& from, const std::shared_ptr<const TrustedProxies>& proxies) {
  if (is_proxy(proxies, from)) return Shares::Share();
  return shares().take(ShareOf::connections, share_of_address(from.ip_text()));
}

// Runs `serving` of a connection, which holds its slot until then.
inline Task<void> hold_share(Task<void> serving, Shares::Share share) {
  auto served = co_await serving;
  share.give_back();
  co_return served;
}

}  // namespace patchbay::net
