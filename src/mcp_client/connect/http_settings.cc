#include "mcp_client/connect/http_settings.h"

#include "config/fields.h"

namespace patchbay {

// The common part of the table of every upstream over HTTP.
template <>
const config::Fields& config::fields<upstreams::HttpClientSettings>() {
  static const Fields kFields = fields_of<upstreams::HttpClientSettings>({
      {"headers", &upstreams::HttpClientSettings::headers,
       "Header fields of every request, for example Authorization."},
      {"auth", &upstreams::HttpClientSettings::auth,
       "Credentials for the upstream, if they are more than a header."},
      {"tls", &upstreams::HttpClientSettings::tls, "TLS settings for an https server."},
      {"max_connections", &upstreams::HttpClientSettings::connections,
       "Maximum number of open connections per worker.", Range{1, 10'000}, Alias{"connections"}},
      {"max_queued_calls", &upstreams::HttpClientSettings::waiting,
       "Maximum number of calls per worker that wait for a connection. Further calls are refused.",
       Range{0, 1'000'000}, Alias{"waiting"}},
      {"connect_timeout", &upstreams::HttpClientSettings::connect_time,
       "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
       Alias{"connect_time"}},
      {"idle_timeout", &upstreams::HttpClientSettings::idle_time,
       "Time without use after which a connection is closed.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"idle_time"}},
      {"max_response_size", &upstreams::HttpClientSettings::answer,
       "Maximum size of a response, or of one event of a stream.",
       Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"answer"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<upstreams::HttpSettings>() {
  static const Fields kFields = join(
      {fields_of<upstreams::HttpSettings>({
           {"url", &upstreams::HttpSettings::url, "URL of the server: http:// or https://."},
           {"replicas", &upstreams::HttpSettings::replicas,
            "Further URLs of the same server. A call goes to the replica with the fewest calls "
            "in progress; one that is down is skipped."},
       }),
       inherited<upstreams::HttpSettings, upstreams::HttpClientSettings>(),
       inherited<upstreams::HttpSettings, upstreams::McpSettings>()});
  return kFields;
}

}  // namespace patchbay
