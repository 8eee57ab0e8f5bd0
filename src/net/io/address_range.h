// An AddressRange is a block of addresses: 10.0.0.5, 10.1.0.0/16, fd00::/8. Values only; pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "net/io/peer_address.h"

namespace patchbay::net {

class AddressRange {
 public:
  static Result<AddressRange> parse(std::string_view text);

  bool holds(const PeerAddress& address) const;

 private:
  PeerAddress first_;
  int bits_ = 128;  // The length of the prefix.
};

}  // namespace patchbay::net
