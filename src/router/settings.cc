#include "router/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<app::RouterPause>() {
  static const Fields kFields = fields_of<app::RouterPause>({
      {"initial_interval", &app::RouterPause::first,
       "Wait before the first attempt to reconnect. It doubles with each further attempt and is "
       "shortened at random by up to a half.",
       Range{Duration(10), Duration(3'600'000)}, Alias{"first"}},
      {"max_interval", &app::RouterPause::most, "Maximum wait between two attempts.",
       Range{Duration(10), Duration(3'600'000)}, Alias{"most"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::RouterOauthSettings>() {
  static const Fields kFields = fields_of<app::RouterOauthSettings>({
      {"grant", &app::RouterOauthSettings::grant,
       "client_credentials: the router authenticates with a client secret. device: a person "
       "signs in with a link and a code, which are logged."},
      {"issuer", &app::RouterOauthSettings::issuer,
       "Authorization server. Its metadata name the endpoints."},
      {"token_url", &app::RouterOauthSettings::token_url,
       "Token endpoint, if the server publishes no metadata."},
      {"device_url", &app::RouterOauthSettings::device_url,
       "Device authorization endpoint, if the server publishes no metadata."},
      {"client_id", &app::RouterOauthSettings::client_id,
       "Client id of the router at the authorization server.", Required{}},
      {"client_secret", &app::RouterOauthSettings::client_secret,
       "Client secret. Keep it out of the file with ${env:NAME}."},
      {"scopes", &app::RouterOauthSettings::scopes, "Scopes to request."},
      {"resource", &app::RouterOauthSettings::resource,
       "Resource that the token is for (RFC 8707). Empty: none is sent."},
      {"ca", &app::RouterOauthSettings::ca,
       "PEM file with the certificates trusted for the authorization server. Empty: those of "
       "the system."},
      {"renew_before", &app::RouterOauthSettings::renew_before,
       "How long before its expiry a token is renewed; at most half of its lifetime.",
       Range{Duration(0), Duration(3'600'000)}},
      {"retry_interval", &app::RouterOauthSettings::retry,
       "Wait before a failed renewal is tried again.", Range{Duration(100), Duration(3'600'000)},
       Alias{"retry"}},
      {"fetch_timeout", &app::RouterOauthSettings::fetch_time,
       "Maximum duration of each request to the authorization server.",
       Range{Duration(10), Duration(60'000)}, Alias{"fetch_time"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::RouterLog>() {
  static const Fields kFields = fields_of<app::RouterLog>({
      {"level", &app::RouterLog::level, "Lowest level that is logged."},
      {"format", &app::RouterLog::format, "Format of log lines."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<app::RouterSettings>() {
  static const Fields kFields = fields_of<app::RouterSettings>({
      {"gateway", &app::RouterSettings::gateway,
       "URL of the gateway: ws://, wss://, tcp:// or tcps://."},
      {"tls", &app::RouterSettings::tls, "TLS settings for a gateway at wss:// or tcps://."},
      {"token", &app::RouterSettings::token, "Token sent to the gateway."},
      {"token_file", &app::RouterSettings::token_file,
       "File with the token, read again for each connection."},
      {"token_command", &app::RouterSettings::token_command,
       "Command that prints the token, such as a keyring client. It runs again for each "
       "connection."},
      {"oauth", &app::RouterSettings::oauth, "Authorization server that issues the token."},
      {"state", &app::RouterSettings::state,
       "Folder for the encrypted tokens of a sign-in, so that the next run needs none. Empty: "
       "they are not stored."},
      {"max_connections", &app::RouterSettings::connections,
       "Maximum number of connections to the gateway.", Range{1, 64}, Alias{"connections"}},
      {"requests_per_connection", &app::RouterSettings::per_connection,
       "Number of requests running on every connection before another connection is opened.",
       Range{1, 100'000}, Alias{"per_connection"}},
      {"idle_timeout", &app::RouterSettings::idle,
       "Time without requests after which a connection is closed, unless it is the only one.",
       Range{Duration(100), Duration(86'400'000)}, Alias{"idle"}},
      {"max_requests", &app::RouterSettings::requests,
       "Maximum number of requests in progress. Further requests are refused.", Range{1, 1'000'000},
       Alias{"requests"}},
      {"max_queued_requests", &app::RouterSettings::queue,
       "Maximum number of requests that wait while the gateway is unreachable.",
       Range{0, 1'000'000}, Alias{"queue"}},
      {"queue_timeout", &app::RouterSettings::queue_time,
       "Maximum time a request waits for the gateway to become reachable. Then it fails.",
       Range{Duration(10), Duration(86'400'000)}, Alias{"queue_time"}},
      {"connect_timeout", &app::RouterSettings::connect_time,
       "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
       Alias{"connect_time"}},
      {"reconnect", &app::RouterSettings::reconnect, "Backoff for reconnecting."},
      {"max_message_size", &app::RouterSettings::message,
       "Maximum size of a message, in either direction.", Range{Bytes{1024}, Bytes{1 << 30}},
       Alias{"message"}},
      {"max_outbox_size", &app::RouterSettings::outbox,
       "Maximum size of the data queued for a client or gateway that does not read.",
       Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
      {"ping_interval", &app::RouterSettings::ping, "Interval between pings to the gateway.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
      {"pong_timeout", &app::RouterSettings::pong, "Maximum time to wait for the reply to a ping.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
      {"drain_timeout", &app::RouterSettings::grace,
       "Maximum time to answer pending requests after the client has closed its input.",
       Range{Duration(0), Duration(3'600'000)}, Alias{"grace"}},
      {"log", &app::RouterSettings::log, "Settings of the log on stderr."},
  });
  return kFields;
}

}  // namespace patchbay
