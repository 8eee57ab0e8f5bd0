// The settings of an upstream that is reached over HTTP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcp_client/settings.h"
#include "net/tls/settings.h"
#include "oauth/settings.h"

namespace patchbay::upstreams {

using TlsSettings = net::TlsClientSettings;

// The settings of any server that is reached over HTTP.
struct HttpClientSettings {
  config::Dict<std::string> headers;
  std::optional<oauth::Settings> auth;
  TlsSettings tls;
  int connections = 64;
  int waiting = 1024;
  config::Duration connect_time{5'000};
  config::Duration idle_time{60'000};
  config::Bytes answer{64 << 20};
};

struct HttpSettings : McpSettings, HttpClientSettings {
  std::string url;
  std::vector<std::string> replicas;
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
const config::Fields& config::fields<upstreams::HttpClientSettings>();

template <>
const config::Fields& config::fields<upstreams::HttpSettings>();

}  // namespace patchbay
