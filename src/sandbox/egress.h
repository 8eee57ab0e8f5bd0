// Egress is the set of destinations outside a sandbox that it may connect to: a list by name, and
// bounds on the connections. The sandbox itself has no network; a proxy of the gateway connects for
// it.
//
// Values only; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "core/result.h"
#include "net/io/peer_address.h"
#include "net/io/socket.h"

namespace patchbay::sandbox {

struct EgressLimits {
  int connections = 64;
  config::Duration connect_time{10'000};
  config::Duration idle{300'000};
  config::Duration half_open{30'000};
};

// The host and port of a proxy request.
struct Destination {
  std::string host;  // In lower case; an IPv6 address without its brackets.
  int port = 0;

  // "example.com:443" or "[::1]:443".
  std::string text() const;
};

// `host:port`; both must be there.
Result<Destination> parse_destination(std::string_view text);

class EgressRules {
 public:
  // Entries such as "pypi.org:443", "*.example.com" (every name below it), "127.0.0.1:8080". An
  // entry without a port allows 443 and 80.
  static Result<EgressRules> parse(const std::vector<std::string>& entries);

  // Whether the destination is on the list, by its name or, if it is an address, by that.
  bool lists(const Destination& destination) const;

  // Whether an entry is this very address and port.
  bool lists(const net::Address& address) const;

 private:
  struct Name {
    std::string host;  // For names below it, with the dot in front.
    bool below = false;
    std::vector<int> ports;
  };

  std::vector<Name> names_;
  std::vector<net::PeerAddress> addresses_;
};

}  // namespace patchbay::sandbox

namespace patchbay {

template <>
const config::Fields& config::fields<sandbox::EgressLimits>();

}  // namespace patchbay
