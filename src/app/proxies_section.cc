#include "app/proxies_section.h"

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
