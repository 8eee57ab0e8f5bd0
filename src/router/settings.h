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
    Field{"first", &app::RouterPause::first,
          "The pause before the first attempt to reach the gateway again; it doubles with each "
          "further one, and is cut by up to a half at random.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"most", &app::RouterPause::most, "The longest such pause.",
          Range{Duration(10), Duration(3'600'000)}},
};

template <>
inline constexpr auto config::choices<app::RouterGrant> = std::array{
    Choice{"client_credentials", app::RouterGrant::client_credentials},
    Choice{"device", app::RouterGrant::device},
};

template <>
inline constexpr auto config::fields<app::RouterOauthSettings> = std::tuple{
    Field{"grant", &app::RouterOauthSettings::grant,
          "client_credentials: as a client with a secret. device: a person signs in, at a link and "
          "with a code that are logged."},
    Field{"issuer", &app::RouterOauthSettings::issuer,
          "The authorization server, which says where its endpoints are."},
    Field{"token_url", &app::RouterOauthSettings::token_url,
          "Its token endpoint, where it does not."},
    Field{"device_url", &app::RouterOauthSettings::device_url,
          "Its device endpoint, where it does not."},
    Field{"client_id", &app::RouterOauthSettings::client_id, "Who we are to it.", Required{}},
    Field{"client_secret", &app::RouterOauthSettings::client_secret,
          "The secret that goes with it; keep it out of the file with ${env:NAME}."},
    Field{"scopes", &app::RouterOauthSettings::scopes, "The scopes that are asked for."},
    Field{"resource", &app::RouterOauthSettings::resource,
          "What the token is for (RFC 8707); empty: it is not said."},
    Field{"ca", &app::RouterOauthSettings::ca,
          "A PEM file with the certificates that are trusted there; empty: those of the system."},
    Field{"renew_before", &app::RouterOauthSettings::renew_before,
          "How long before it expires a token is renewed; at most half of its life.",
          Range{Duration(0), Duration(3'600'000)}},
    Field{"retry", &app::RouterOauthSettings::retry,
          "After a failure, how long it takes until a token is renewed again.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"fetch_time", &app::RouterOauthSettings::fetch_time,
          "How long each request for it may take.", Range{Duration(10), Duration(60'000)}},
};

template <>
inline constexpr auto config::fields<app::RouterLog> = std::tuple{
    Field{"level", &app::RouterLog::level, "The least important lines that are logged."},
    Field{"format", &app::RouterLog::format, "How a line looks."},
};

template <>
inline constexpr auto config::fields<app::RouterSettings> = std::tuple{
    Field{"gateway", &app::RouterSettings::gateway,
          "Where the gateway is: ws://, wss://, tcp:// or tcps://."},
    Field{"tls", &app::RouterSettings::tls, "How a gateway at wss:// or tcps:// is trusted."},
    Field{"token", &app::RouterSettings::token, "The token that the gateway is shown."},
    Field{"token_file", &app::RouterSettings::token_file,
          "A file that holds the token; read again for each connection."},
    Field{"token_command", &app::RouterSettings::token_command,
          "A command that prints the token, such as one that asks a keyring; run again for each "
          "connection."},
    Field{"oauth", &app::RouterSettings::oauth,
          "Where the token is from, if it is from an authorization server."},
    Field{"state", &app::RouterSettings::state,
          "A folder for what a sign-in has given, sealed, so that the next run needs none; empty: "
          "it is not kept."},
    Field{"connections", &app::RouterSettings::connections,
          "How many connections to the gateway there may be.", Range{1, 64}},
    Field{"per_connection", &app::RouterSettings::per_connection,
          "How many requests run on every connection before one more is made.", Range{1, 100'000}},
    Field{"idle", &app::RouterSettings::idle,
          "After how long without a request a connection that is not the only one ends.",
          Range{Duration(100), Duration(86'400'000)}},
    Field{"requests", &app::RouterSettings::requests,
          "How many requests may be under way; more are refused.", Range{1, 1'000'000}},
    Field{"queue", &app::RouterSettings::queue,
          "How many of them may wait while the gateway cannot be reached.", Range{0, 1'000'000}},
    Field{"queue_time", &app::RouterSettings::queue_time,
          "How long they may wait for that; then they fail.",
          Range{Duration(10), Duration(86'400'000)}},
    Field{"connect_time", &app::RouterSettings::connect_time,
          "How long a connection may take to be made.", Range{Duration(10), Duration(600'000)}},
    Field{"reconnect", &app::RouterSettings::reconnect, "How a lost connection is made again."},
    Field{"message", &app::RouterSettings::message, "The largest message, both ways.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"outbox", &app::RouterSettings::outbox,
          "What may wait for a client or a gateway that does not read.",
          Range{Bytes{1024}, Bytes{1 << 30}}},
    Field{"ping", &app::RouterSettings::ping, "How often the gateway is asked if it is there.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"pong", &app::RouterSettings::pong, "How long it may take to say so.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"grace", &app::RouterSettings::grace,
          "How long requests get to be answered once the client has ended its side.",
          Range{Duration(0), Duration(3'600'000)}},
    Field{"log", &app::RouterSettings::log, "What is logged to stderr."},
};

}  // namespace patchbay
