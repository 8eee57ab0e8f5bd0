// The section `console`. Values only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace patchbay::frontends {

struct ConsoleOidcSettings {
  std::string issuer;
  std::string client_id;
  std::string client_secret;
  std::vector<std::string> scopes{"openid"};
  std::string resource;
  std::string ca;
  config::Duration sign_in_time{600'000};
  config::Duration fetch_time{10'000};
  config::Bytes answer{256 << 10};
  int max_requests = 16;

  bool operator==(const ConsoleOidcSettings&) const = default;
};

struct ConsoleSettings {
  bool enabled = true;
  config::Duration session_timeout{28'800'000};
  int max_sessions = 1'000;
  int max_sessions_per_caller = 10;
  bool edit = false;
  config::Duration apply_timeout{30'000};
  std::optional<ConsoleOidcSettings> oidc;
};

}  // namespace patchbay::frontends

namespace patchbay {

template <>
const config::Fields& config::fields<frontends::ConsoleOidcSettings>();

template <>
const config::Fields& config::fields<frontends::ConsoleSettings>();

}  // namespace patchbay
