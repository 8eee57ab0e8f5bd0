// The address of a socket, numeric: parsed, and written as text. resolver.h resolves host names.
//
// A value; usable from any thread.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::net {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  // "127.0.0.1:8080" or "[::1]:8080".
  std::string text() const;
  int port() const;
  bool loopback() const;
};

// A numeric address or "localhost" with a port: "127.0.0.1:8080", "[::1]:0", "localhost:80".
Result<Address> parse_address(std::string_view text);

// The addresses of a host that needs no lookup: a numeric one, or "localhost". Empty otherwise.
std::vector<Address> numeric_addresses(const std::string& host, int port);

// Which addresses may be connected to; empty: all.
using AddressRule = std::function<bool(const Address& address)>;

}  // namespace patchbay::net
