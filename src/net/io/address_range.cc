#include "net/io/address_range.h"

#include <fmt/format.h>

#include <charconv>

#include "net/io/address.h"

namespace patchbay::net {
namespace {

// An IPv4 address is stored as the end of an IPv6 one.
constexpr int kBitsBeforeV4 = 96;

}  // namespace

Result<AddressRange> AddressRange::parse(std::string_view text) {
  const Error wrong{Code::invalid_params,
                    fmt::format("'{}' is not an address; write 10.0.0.5 or 10.1.0.0/16", text)};
  const auto slash = text.find('/');
  const auto ip = numeric_addresses(std::string(text.substr(0, slash)), 0);
  if (ip.size() != 1) return wrong;
  AddressRange range;
  range.first_ = PeerAddress::of(ip.front().storage);
  const int before = ip.front().storage.ss_family == AF_INET ? kBitsBeforeV4 : 0;
  if (slash == std::string_view::npos) return range;
  const auto digits = text.substr(slash + 1);
  int bits = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  range.bits_ = before + bits;
  const bool whole = fault == std::errc() && end == digits.data() + digits.size();
  if (!whole || bits < 0 || range.bits_ > 128) return wrong;
  return range;
}

bool AddressRange::holds(const PeerAddress& address) const {
  int left = bits_;
  for (std::size_t i = 0; left > 0; ++i, left -= 8) {
    const int shift = left >= 8 ? 0 : 8 - left;
    if (address.ip[i] >> shift != first_.ip[i] >> shift) return false;
  }
  return true;
}

}  // namespace patchbay::net
