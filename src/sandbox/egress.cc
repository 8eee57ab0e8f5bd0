#include "sandbox/egress.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "net/http/syntax/url.h"

namespace patchbay::sandbox {
namespace {

constexpr std::string_view kBelow = "*.";
constexpr std::array kUsualPorts{443, 80};

struct HostPort {
  std::string host;
  std::optional<int> port;
};

// `host[:port]`, read as strictly as the same part of a URL.
Result<HostPort> parse_host_port(std::string_view text) {
  if (text.find_first_of("/?#") != std::string_view::npos) {
    return Error{Code::invalid_params, "it is a host and a port, without a scheme or a path"};
  }
  auto url = net::parse_url(fmt::format("http://{}", text));
  if (!url) return url.error();
  HostPort target{std::move(url->host), std::nullopt};
  if (!text.ends_with(']') && text.find(':') != std::string_view::npos) target.port = url->port;
  // The root of all names may be written or not.
  while (target.host.ends_with('.')) target.host.pop_back();
  return target;
}

// The address that `host` is, if it is one and not a name.
std::optional<net::PeerAddress> address_of(const std::string& host, int port) {
  if (host == "localhost") return std::nullopt;
  const auto found = net::numeric_addresses(host, port);
  if (found.empty()) return std::nullopt;
  return net::PeerAddress::of(found.front().storage);
}

Error bad_entry(std::string_view entry, std::string_view why) {
  return {
      Code::invalid_params,
      fmt::format("'{}' is no destination ({}); write \"host:port\", \"host\" for the ports 443 "
                  "and 80, or \"*.domain\" for every name below it",
                  entry, why)};
}

}  // namespace

std::string Destination::text() const {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<Destination> parse_destination(std::string_view text) {
  auto target = parse_host_port(text);
  if (!target) return target.error();
  if (!target->port) return Error{Code::invalid_params, "it names no port"};
  return Destination{std::move(target->host), *target->port};
}

Result<EgressRules> EgressRules::parse(const std::vector<std::string>& entries) {
  EgressRules rules;
  for (const auto& entry : entries) {
    const bool below = entry.starts_with(kBelow);
    auto target = parse_host_port(std::string_view(entry).substr(below ? kBelow.size() : 0));
    if (!target) return bad_entry(entry, target.error().message);
    std::vector<int> ports(kUsualPorts.begin(), kUsualPorts.end());
    if (target->port) ports = {*target->port};
    if (!address_of(target->host, 0)) {
      rules.names_.push_back({(below ? "." : "") + target->host, below, std::move(ports)});
      continue;
    }
    if (below) return bad_entry(entry, "there are no names below an address");
    for (const int port : ports) rules.addresses_.push_back(*address_of(target->host, port));
  }
  return rules;
}

bool EgressRules::lists(const Destination& destination) const {
  if (const auto address = address_of(destination.host, destination.port)) {
    return std::ranges::find(addresses_, *address) != addresses_.end();
  }
  return std::ranges::any_of(names_, [&](const Name& name) {
    if (std::ranges::find(name.ports, destination.port) == name.ports.end()) return false;
    return name.below
               ? destination.host.size() > name.host.size() && destination.host.ends_with(name.host)
               : destination.host == name.host;
  });
}

bool EgressRules::lists(const net::Address& address) const {
  return std::ranges::find(addresses_, net::PeerAddress::of(address.storage)) != addresses_.end();
}

}  // namespace patchbay::sandbox
