#include "net/io/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <charconv>

#include "core/http_token.h"

namespace patchbay::net {
namespace {

Result<Address> numeric(const std::string& host, std::uint16_t port) {
  Address address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof *v4;
    return address;
  }
  if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof *v6;
    return address;
  }
  return Error{Code::invalid_params, fmt::format("'{}' is not a numeric address", host)};
}

}  // namespace

std::string Address::text() const {
  char host[INET6_ADDRSTRLEN] = "?";
  if (storage.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, host,
                sizeof host);
    return fmt::format("[{}]:{}", host, port());
  }
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, host,
              sizeof host);
  return fmt::format("{}:{}", host, port());
}

int Address::port() const {
  const bool v6 = storage.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                  : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

bool Address::loopback() const {
  if (storage.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr);
  }
  return ntohl(reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr.s_addr) >> 24 == 127;
}

Result<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  const Error wrong{Code::invalid_params,
                    fmt::format("'{}' is not an address; write it as 127.0.0.1:8080", text)};
  if (colon == std::string_view::npos) return wrong;
  std::uint16_t port = 0;
  const auto digits = text.substr(colon + 1);
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (bad != std::errc() || end != digits.data() + digits.size()) return wrong;
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  auto address = numeric(host, port);
  if (!address) return wrong;
  return address;
}

std::vector<Address> numeric_addresses(const std::string& host, int port) {
  const auto number = static_cast<std::uint16_t>(port);
  if (auto address = numeric(host, number)) return {*address};
  if (same_token(host, "localhost")) {
    return {*numeric("127.0.0.1", number), *numeric("::1", number)};
  }
  return {};
}

}  // namespace patchbay::net
