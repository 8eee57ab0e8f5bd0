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
          "PEM file with trusted certificates. Empty: those of the system."},
    Field{"cert", &upstreams::TlsSettings::cert,
          "PEM file with the client certificate, for servers that require one."},
    Field{"key", &upstreams::TlsSettings::key,
          "PEM file with the private key of the client certificate."},
    Field{"server_name", &upstreams::TlsSettings::server_name,
          "Name that the server's certificate must have. Empty: the host of the URL."},
    Field{"verify", &upstreams::TlsSettings::verify,
          "Whether the server's certificate is verified. Turn it off only for a machine of your "
          "own."},
};

namespace upstreams {

// The part of the table of every upstream over HTTP that is the same.
inline constexpr auto kHttpClientFields = std::tuple{
    config::Field{"headers", &HttpClientSettings::headers,
                  "Header fields of every request, for example Authorization."},
    config::Field{"auth", &HttpClientSettings::auth,
                  "Credentials for the upstream, if they are more than a header."},
    config::Field{"tls", &HttpClientSettings::tls, "TLS settings for an https server."},
    config::Field{"max_connections", &HttpClientSettings::connections,
                  "Maximum number of open connections per worker.", config::Range{1, 10'000},
                  config::Alias{"connections"}},
    config::Field{
        "max_queued_calls", &HttpClientSettings::waiting,
        "Maximum number of calls per worker that wait for a connection. Further calls are refused.",
        config::Range{0, 1'000'000}, config::Alias{"waiting"}},
    config::Field{"connect_timeout", &HttpClientSettings::connect_time,
                  "Maximum time to establish a connection.",
                  config::Range{config::Duration(10), config::Duration(600'000)},
                  config::Alias{"connect_time"}},
    config::Field{"idle_timeout", &HttpClientSettings::idle_time,
                  "Time without use after which a connection is closed.",
                  config::Range{config::Duration(100), config::Duration(3'600'000)},
                  config::Alias{"idle_time"}},
    config::Field{"max_response_size", &HttpClientSettings::answer,
                  "Maximum size of a response, or of one event of a stream.",
                  config::Range{config::Bytes{1024}, config::Bytes{1 << 30}},
                  config::Alias{"answer"}},
};

}  // namespace upstreams

template <>
inline constexpr auto config::fields<upstreams::HttpSettings> = std::tuple_cat(
    std::tuple{
        Field{"url", &upstreams::HttpSettings::url, "URL of the server: http:// or https://."},
        Field{"replicas", &upstreams::HttpSettings::replicas,
              "Further URLs of the same server. A call goes to the replica with the fewest calls "
              "in progress; one that is down is skipped."},
    },
    upstreams::kHttpClientFields, upstreams::kMcpFields);

}  // namespace patchbay
