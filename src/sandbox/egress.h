// Egress is what a sandbox may connect to outside, by name: a list of destinations, and bounds on
// the connections to them. The sandbox itself has no network; a proxy of the gateway connects for
// it.
//
// Values only; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"
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
inline constexpr auto config::fields<sandbox::EgressLimits> = std::tuple{
    Field{"max_connections", &sandbox::EgressLimits::connections,
          "Maximum number of connections per sandbox. Further ones are answered with 503.",
          Range{1, 10'000}, Alias{"connections"}},
    Field{"connect_timeout", &sandbox::EgressLimits::connect_time,
          "Maximum time to receive a proxy request, and again to resolve the name and connect.",
          Range{Duration(10), Duration(600'000)}, Alias{"connect_time"}},
    Field{"idle_timeout", &sandbox::EgressLimits::idle,
          "Time without traffic after which a connection is closed.",
          Range{Duration(10), Duration(86'400'000)}, Alias{"idle"}},
    Field{"half_open_timeout", &sandbox::EgressLimits::half_open,
          "Time without traffic after which a half-closed connection is closed; at most "
          "`idle_timeout`.",
          Range{Duration(10), Duration(86'400'000)}, Alias{"half_open"}},
};

}  // namespace patchbay
