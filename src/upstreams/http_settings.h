// What can be said about an upstream that is reached over HTTP.
#pragma once

#include <string>
#include <vector>

#include "upstreams/mcp_settings.h"

namespace patchbay::upstreams {

struct TlsSettings {
  std::string ca;
  std::string cert;
  std::string key;
  std::string server_name;
  bool verify = true;
};

struct HttpSettings : McpSettings {
  std::string url;
  std::vector<std::string> replicas;
  config::Dict<std::string> headers;
  TlsSettings tls;
  int connections = 64;
  int waiting = 1024;
  config::Duration connect_time{5'000};
  config::Duration idle_time{60'000};
  config::Bytes answer{64 << 20};
};

}  // namespace patchbay::upstreams

namespace patchbay {

template <>
inline constexpr auto config::fields<upstreams::TlsSettings> = std::tuple{
    Field{"ca", &upstreams::TlsSettings::ca,
          "A PEM file with the certificates that are trusted; empty: those of the system."},
    Field{"cert", &upstreams::TlsSettings::cert,
          "A PEM file with our own certificate, for servers that ask for one."},
    Field{"key", &upstreams::TlsSettings::key, "A PEM file with its key."},
    Field{"server_name", &upstreams::TlsSettings::server_name,
          "What the server must prove to be; empty: the host of the URL."},
    Field{"verify", &upstreams::TlsSettings::verify,
          "Whether the server must prove it at all. Turn it off on a machine of your own only."},
};

template <>
inline constexpr auto config::fields<upstreams::HttpSettings> = std::tuple_cat(
    std::tuple{
        Field{"url", &upstreams::HttpSettings::url, "Where the server is: http:// or https://."},
        Field{"replicas", &upstreams::HttpSettings::replicas,
              "Further places where the same server is. A call goes to the one with the fewest "
              "calls running; one that is down is passed over."},
        Field{"headers", &upstreams::HttpSettings::headers,
              "Header fields of every request, for example Authorization."},
        Field{"tls", &upstreams::HttpSettings::tls, "How an https server is trusted."},
        Field{"connections", &upstreams::HttpSettings::connections,
              "How many connections each worker may have open to it.", Range{1, 10'000}},
        Field{"waiting", &upstreams::HttpSettings::waiting,
              "How many calls of each worker may wait for a connection; more are refused.",
              Range{0, 1'000'000}},
        Field{"connect_time", &upstreams::HttpSettings::connect_time,
              "How long a connection may take to be made.", Range{Duration(10), Duration(600'000)}},
        Field{"idle_time", &upstreams::HttpSettings::idle_time,
              "After how long without use a connection is closed.",
              Range{Duration(100), Duration(3'600'000)}},
        Field{"answer", &upstreams::HttpSettings::answer,
              "The largest answer, or event of a stream.", Range{Bytes{1024}, Bytes{1 << 30}}},
    },
    upstreams::kMcpFields);

}  // namespace patchbay
