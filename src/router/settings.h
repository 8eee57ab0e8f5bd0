// The settings of the local router, filled from a file, the command line and environment variables.
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/settings.h"
#include "config/fields.h"
#include "mcp_client/connect/http_settings.h"
#include "observe/log.h"

namespace patchbay::app {

struct RouterPause {
  config::Duration first{1'000};
  config::Duration most{60'000};
};

enum class RouterGrant : std::uint8_t { client_credentials, device };

struct RouterOauthSettings {
  RouterGrant grant = RouterGrant::client_credentials;
  std::string issuer;
  std::string token_url;
  std::string device_url;
  std::string client_id;
  std::string client_secret;
  std::vector<std::string> scopes;
  std::string resource;
  std::string ca;
  config::Duration renew_before{60'000};
  config::Duration retry{5'000};
  config::Duration fetch_time{10'000};
};

struct RouterLog {
  log::Level level = log::Level::warn;
  log::Format format = log::Format::text;
};

struct RouterSettings {
  std::string gateway;
  upstreams::TlsSettings tls;
  std::string token;
  std::string token_file;
  std::string token_command;
  std::optional<RouterOauthSettings> oauth;
  std::string state;
  int connections = 4;
  int per_connection = 64;
  config::Duration idle{60'000};
  int requests = 1'000;
  int queue = 100;
  config::Duration queue_time{60'000};
  config::Duration connect_time{10'000};
  RouterPause reconnect;
  config::Bytes message{64 << 20};
  config::Bytes outbox{16 << 20};
  config::Duration ping{30'000};
  config::Duration pong{60'000};
  config::Duration grace{10'000};
  RouterLog log;
};

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::fields<app::RouterPause> = std::tuple{
    Field{"initial_interval", &app::RouterPause::first,
          "Wait before the first attempt to reconnect. It doubles with each further attempt and is "
          "shortened at random by up to a half.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"first"}},
    Field{"max_interval", &app::RouterPause::most, "Maximum wait between two attempts.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"most"}},
};

template <>
inline constexpr auto config::choices<app::RouterGrant> = std::array{
    Choice{"client_credentials", app::RouterGrant::client_credentials},
    Choice{"device", app::RouterGrant::device},
};

template <>
inline constexpr auto config::fields<app::RouterOauthSettings> = std::tuple{
    Field{"grant", &app::RouterOauthSettings::grant,
          "client_credentials: the router authenticates with a client secret. device: a person "
          "signs in with a link and a code, which are logged."},
    Field{"issuer", &app::RouterOauthSettings::issuer,
          "Authorization server. Its metadata name the endpoints."},
    Field{"token_url", &app::RouterOauthSettings::token_url,
          "Token endpoint, if the server publishes no metadata."},
    Field{"device_url", &app::RouterOauthSettings::device_url,
          "Device authorization endpoint, if the server publishes no metadata."},
    Field{"client_id", &app::RouterOauthSettings::client_id,
          "Client id of the router at the authorization server.", Required{}},
    Field{"client_secret", &app::RouterOauthSettings::client_secret,
          "Client secret. Keep it out of the file with ${env:NAME}."},
    Field{"scopes", &app::RouterOauthSettings::scopes, "Scopes to request."},
    Field{"resource", &app::RouterOauthSettings::resource,
          "Resource that the token is for (RFC 8707). Empty: none is sent."},
    Field{"ca", &app::RouterOauthSettings::ca,
          "PEM file with the certificates trusted for the authorization server. Empty: those of "
          "the system."},
    Field{"renew_before", &app::RouterOauthSettings::renew_before,
          "How long before its expiry a token is renewed; at most half of its lifetime.",
          Range{Duration(0), Duration(3'600'000)}},
    Field{"retry_interval", &app::RouterOauthSettings::retry,
          "Wait before a failed renewal is tried again.", Range{Duration(100), Duration(3'600'000)},
          Alias{"retry"}},
    Field{"fetch_timeout", &app::RouterOauthSettings::fetch_time,
          "Maximum duration of each request to the authorization server.",
          Range{Duration(10), Duration(60'000)}, Alias{"fetch_time"}},
};

template <>
inline constexpr auto config::fields<app::RouterLog> = std::tuple{
    Field{"level", &app::RouterLog::level, "Lowest level that is logged."},
    Field{"format", &app::RouterLog::format, "Format of log lines."},
};

template <>
inline constexpr auto config::fields<app::RouterSettings> = std::tuple{
    Field{"gateway", &app::RouterSettings::gateway,
          "URL of the gateway: ws://, wss://, tcp:// or tcps://."},
    Field{"tls", &app::RouterSettings::tls, "TLS settings for a gateway at wss:// or tcps://."},
    Field{"token", &app::RouterSettings::token, "Token sent to the gateway."},
    Field{"token_file", &app::RouterSettings::token_file,
          "File with the token, read again for each connection."},
    Field{"token_command", &app::RouterSettings::token_command,
          "Command that prints the token, such as a keyring client. It runs again for each "
          "connection."},
    Field{"oauth", &app::RouterSettings::oauth, "Authorization server that issues the token."},
    Field{"state", &app::RouterSettings::state,
          "Folder for the encrypted tokens of a sign-in, so that the next run needs none. Empty: "
          "they are not stored."},
    Field{"max_connections", &app::RouterSettings::connections,
          "Maximum number of connections to the gateway.", Range{1, 64}, Alias{"connections"}},
    Field{"requests_per_connection", &app::RouterSettings::per_connection,
          "Number of requests running on every connection before another connection is opened.",
          Range{1, 100'000}, Alias{"per_connection"}},
    Field{"idle_timeout", &app::RouterSettings::idle,
          "Time without requests after which a connection is closed, unless it is the only one.",
          Range{Duration(100), Duration(86'400'000)}, Alias{"idle"}},
    Field{"max_requests", &app::RouterSettings::requests,
          "Maximum number of requests in progress. Further requests are refused.",
          Range{1, 1'000'000}, Alias{"requests"}},
    Field{"max_queued_requests", &app::RouterSettings::queue,
          "Maximum number of requests that wait while the gateway is unreachable.",
          Range{0, 1'000'000}, Alias{"queue"}},
    Field{"queue_timeout", &app::RouterSettings::queue_time,
          "Maximum time a request waits for the gateway to become reachable. Then it fails.",
          Range{Duration(10), Duration(86'400'000)}, Alias{"queue_time"}},
    Field{"connect_timeout", &app::RouterSettings::connect_time,
          "Maximum time to establish a connection.", Range{Duration(10), Duration(600'000)},
          Alias{"connect_time"}},
    Field{"reconnect", &app::RouterSettings::reconnect, "Backoff for reconnecting."},
    Field{"max_message_size", &app::RouterSettings::message,
          "Maximum size of a message, in either direction.", Range{Bytes{1024}, Bytes{1 << 30}},
          Alias{"message"}},
    Field{"max_outbox_size", &app::RouterSettings::outbox,
          "Maximum size of the data queued for a client or gateway that does not read.",
          Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"outbox"}},
    Field{"ping_interval", &app::RouterSettings::ping, "Interval between pings to the gateway.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
    Field{"pong_timeout", &app::RouterSettings::pong,
          "Maximum time to wait for the reply to a ping.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
    Field{"drain_timeout", &app::RouterSettings::grace,
          "Maximum time to answer pending requests after the client has closed its input.",
          Range{Duration(0), Duration(3'600'000)}, Alias{"grace"}},
    Field{"log", &app::RouterSettings::log, "Settings of the log on stderr."},
};

}  // namespace patchbay
