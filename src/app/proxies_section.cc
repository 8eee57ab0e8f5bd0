#include "app/proxies_section.h"

#include "config/fields.h"

#include <algorithm>

#include "config/read_value.h"

namespace patchbay::app {

bool ProxiesSection::precedes(ListenerKey listener) const {
  return std::ranges::find(proxy_protocol, listener) != proxy_protocol.end();
}

std::shared_ptr<const net::TrustedProxies> trusted_proxies(const ProxiesSection& section) {
  if (section.from.empty()) return nullptr;
  net::TrustedProxies proxies;
  for (const auto& text : section.from) {
    if (auto range = net::AddressRange::parse(text)) proxies.from.push_back(*range);
  }
  proxies.header = section.header;
  proxies.header_time = section.proxy_header_time;
  proxies.header_size = section.proxy_header.value;
  return std::make_shared<const net::TrustedProxies>(std::move(proxies));
}

void check_proxies(const ProxiesSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults) {
  const config::Node* const node = root.find("proxies");
  if (!node) return;
  const config::Location at{file, "proxies", faults};
  for (const auto& text : section.from) {
    auto range = net::AddressRange::parse(text);
    if (!range) at.member("from").fault(node->line, range.error().message);
  }
  if (!section.proxy_protocol.empty() && section.from.empty()) {
    at.member("proxy_protocol")
        .fault(node->line, "it needs `from`: the addresses of the proxies that send the header");
  }
}

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::ProxiesSection>() {
  static const Fields kFields = fields_of<app::ProxiesSection>({
      {"from", &app::ProxiesSection::from,
       "Addresses of the proxies: 10.0.0.5, 10.1.0.0/16, ::1. What any other address states "
       "about its client is ignored."},
      {"header", &app::ProxiesSection::header,
       "Header in which the proxies state the client's address. Only this one is read."},
      {"proxy_protocol", &app::ProxiesSection::proxy_protocol,
       "Listeners whose connections begin with a PROXY protocol header, version 1 or 2. These "
       "listeners refuse connections without one and connections that do not come from `from`."},
      {"proxy_header_timeout", &app::ProxiesSection::proxy_header_time,
       "Maximum time to receive a PROXY protocol header.", Range{Duration(10), Duration(60'000)}},
      {"max_proxy_header_size", &app::ProxiesSection::proxy_header,
       "Maximum size of a PROXY protocol header of version 2.", Range{Bytes{108}, Bytes{65'551}}},
  });
  return kFields;
}

}  // namespace patchbay
