// The share of the caller of an exchange in resources that all callers share (core/shares.h).
//
// Usable from any thread.
#pragma once

#include <string>

#include "net/http/server/exchange.h"
#include "net/io/address_share.h"

namespace patchbay::frontends {

// The holder of the share. REQUIRES: the caller of the exchange is known.
inline std::string share_owner_of(const net::HttpExchange& exchange) {
  return share_owner(*exchange.caller, net::share_of_address(exchange.peer.ip));
}

// Code::rate_limited if the caller holds as many as it may.
inline Result<Shares::Share> take_share(ShareOf what, const net::HttpExchange& exchange) {
  return shares().take(what, share_owner_of(exchange));
}

}  // namespace patchbay::frontends
