// The settings of the local router, filled from a file, the command line and environment variables.
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/settings.h"
#include "config/settings.h"
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
const config::Fields& config::fields<app::RouterPause>();

template <>
inline constexpr auto config::choices<app::RouterGrant> = std::array{
    Choice{"client_credentials", app::RouterGrant::client_credentials},
    Choice{"device", app::RouterGrant::device},
};

template <>
const config::Fields& config::fields<app::RouterOauthSettings>();

template <>
const config::Fields& config::fields<app::RouterLog>();

template <>
const config::Fields& config::fields<app::RouterSettings>();

}  // namespace patchbay
