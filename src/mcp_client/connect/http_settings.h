// What can be said about an upstream that is reached over HTTP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcp_client/settings.h"
#include "oauth/settings.h"

namespace patchbay::upstreams {

struct TlsSettings {
  std::string ca;
  std::string cert;
  std::string key;
  std::string server_name;
  bool verify = true;
};

// What can be said of any server that is spoken to over HTTP.
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

namespace upstreams {

// The part of the table of every upstream over HTTP that is the same.
inline constexpr auto kHttpClientFields = std::tuple{
    config::Field{"headers", &HttpClientSettings::headers,
                  "Header fields of every request, for example Authorization."},
    config::Field{"auth", &HttpClientSettings::auth,
                  "Whose credentials it is shown, where those are more than a header."},
    config::Field{"tls", &HttpClientSettings::tls, "How an https server is trusted."},
    config::Field{"connections", &HttpClientSettings::connections,
                  "How many connections each worker may have open to it.",
                  config::Range{1, 10'000}},
    config::Field{"waiting", &HttpClientSettings::waiting,
                  "How many calls of each worker may wait for a connection; more are refused.",
                  config::Range{0, 1'000'000}},
    config::Field{"connect_time", &HttpClientSettings::connect_time,
                  "How long a connection may take to be made.",
                  config::Range{config::Duration(10), config::Duration(600'000)}},
    config::Field{"idle_time", &HttpClientSettings::idle_time,
                  "After how long without use a connection is closed.",
                  config::Range{config::Duration(100), config::Duration(3'600'000)}},
    config::Field{"answer", &HttpClientSettings::answer,
                  "The largest answer, or event of a stream.",
                  config::Range{config::Bytes{1024}, config::Bytes{1 << 30}}},
};

}  // namespace upstreams

template <>
inline constexpr auto config::fields<upstreams::HttpSettings> = std::tuple_cat(
    std::tuple{
        Field{"url", &upstreams::HttpSettings::url, "Where the server is: http:// or https://."},
        Field{"replicas", &upstreams::HttpSettings::replicas,
              "Further places where the same server is. A call goes to the one with the fewest "
              "calls running; one that is down is passed over."},
    },
    upstreams::kHttpClientFields, upstreams::kMcpFields);

}  // namespace patchbay
