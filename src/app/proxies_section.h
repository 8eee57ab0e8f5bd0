// What the configuration says about reverse proxies and load balancers in front of the gateway.
// Values only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/fields.h"
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

// Null if none are named. Addresses that are malformed have been reported by check_proxies().
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
inline constexpr auto config::fields<app::ProxiesSection> = std::tuple{
    Field{"from", &app::ProxiesSection::from,
          "Addresses of the proxies: 10.0.0.5, 10.1.0.0/16, ::1. What any other address states "
          "about its client is ignored."},
    Field{"header", &app::ProxiesSection::header,
          "Header in which the proxies state the client's address. Only this one is read."},
    Field{"proxy_protocol", &app::ProxiesSection::proxy_protocol,
          "Listeners whose connections begin with a PROXY protocol header, version 1 or 2. These "
          "listeners refuse connections without one and connections that do not come from `from`."},
    Field{"proxy_header_timeout", &app::ProxiesSection::proxy_header_time,
          "Maximum time to receive a PROXY protocol header.",
          Range{Duration(10), Duration(60'000)}},
    Field{"max_proxy_header_size", &app::ProxiesSection::proxy_header,
          "Maximum size of a PROXY protocol header of version 2.",
          Range{Bytes{108}, Bytes{65'551}}},
};

}  // namespace patchbay
