// The settings about reverse proxies and load balancers in front of the gateway.
//
// Values only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"
#include "net/io/trusted_proxies.h"

namespace patchbay::app {

enum class ListenerKey : std::uint8_t { listen, tls_listen, wire_tcp };

struct ProxiesSection {
  std::vector<std::string> from;
  net::ForwardedHeader header = net::ForwardedHeader::x_forwarded_for;
  std::vector<ListenerKey> proxy_protocol;
  config::Duration proxy_header_time{5'000};
  config::Bytes proxy_header{1024};

  // True if connections to the listener begin with a PROXY protocol header.
  bool precedes(ListenerKey listener) const;
};

// Null if none are named. check_proxies() has reported malformed addresses.
std::shared_ptr<const net::TrustedProxies> trusted_proxies(const ProxiesSection& section);

// The faults of the section.
void check_proxies(const ProxiesSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults);

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::choices<net::ForwardedHeader> = std::array{
    Choice{"x-forwarded-for", net::ForwardedHeader::x_forwarded_for},
    Choice{"forwarded", net::ForwardedHeader::forwarded},
    Choice{"none", net::ForwardedHeader::none},
};

template <>
inline constexpr auto config::choices<app::ListenerKey> = std::array{
    Choice{"listen", app::ListenerKey::listen},
    Choice{"tls.listen", app::ListenerKey::tls_listen},
    Choice{"wire.tcp", app::ListenerKey::wire_tcp},
};

template <>
const config::Fields& config::fields<app::ProxiesSection>();

}  // namespace patchbay
