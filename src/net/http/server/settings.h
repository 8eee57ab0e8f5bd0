// The settings of an HttpServer. Replaced as a whole when they change.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "net/http/syntax/cors.h"
#include "net/http/syntax/parse.h"
#include "net/io/trusted_proxies.h"

namespace patchbay::net {

struct HttpSettings {
  HttpLimits head;
  std::size_t body = 16 << 20;
  std::size_t connections = 10'000;     // Of the whole process.
  std::size_t stream_buffer = 1 << 20;  // Limits on one slow reader of an event stream.
  std::chrono::nanoseconds header_time = std::chrono::seconds(10);
  std::chrono::nanoseconds body_time = std::chrono::seconds(30);
  std::chrono::nanoseconds idle_time = std::chrono::seconds(75);
  std::chrono::nanoseconds write_time = std::chrono::seconds(30);
  std::chrono::nanoseconds handshake_time = std::chrono::seconds(5);
  std::size_t handshakes = 256;      // In progress on this worker.
  std::vector<std::string> hosts;    // Allowed in Host and Origin besides loopback names.
  std::vector<std::string> origins;  // Allowed origins besides those of allowed hosts.
  CorsSettings cors;
  std::shared_ptr<const TrustedProxies> proxies;  // Null: none are named.
  // Connections of the plain listener, and of that with TLS, begin with a PROXY protocol header.
  bool proxy_protocol = false;
  bool tls_proxy_protocol = false;
};

}  // namespace patchbay::net
