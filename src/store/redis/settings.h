// The section `cluster.redis`: the server that gateways share, and its address.
//
// Values only.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"
#include "core/result.h"
#include "net/http/syntax/url.h"
#include "net/tls/settings.h"

namespace patchbay::store {

struct RedisSettings {
  std::string url;
  net::TlsClientSettings tls;
  config::Duration connect_timeout{5'000};
  config::Duration request_timeout{2'000};
  std::string prefix{"patchbay"};

  bool operator==(const RedisSettings&) const = default;
};

struct RedisAddress {
  net::Url server;
  std::string user;      // Empty: the default user.
  std::string password;  // Empty: none is sent.
  int database = 0;

  // Without the password.
  std::string text() const;
};

// `redis://[[user]:password@]host[:port][/database]`, or rediss for TLS. The error does not repeat
// what may be secret.
Result<RedisAddress> parse_redis_address(std::string_view url);

}  // namespace patchbay::store

namespace patchbay {

template <>
const config::Fields& config::fields<store::RedisSettings>();

}  // namespace patchbay
