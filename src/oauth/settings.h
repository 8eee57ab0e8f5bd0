// How the gateway authenticates to an upstream over HTTP: its section `auth`. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace patchbay::oauth {

enum class Kind : std::uint8_t {
  bearer,
  client_credentials,
  authorization_code,
  token_exchange,
  jwt_bearer,
};

// The type of a token that is exchanged for another.
enum class SubjectType : std::uint8_t { access_token, id_token, jwt };

// Client authentication at a token endpoint.
enum class ClientAuth : std::uint8_t {
  any,  // Whichever the server accepts and we can do.
  client_secret_basic,
  client_secret_post,
  private_key_jwt,
  none,
};

// The authorization server of callers, if it is not that of the upstream.
struct ExchangeSettings {
  std::string token_url;
  std::string client_id;
  std::string client_secret;
  ClientAuth client_auth = ClientAuth::any;
};

struct Settings {
  Kind kind = Kind::bearer;
  std::string token;
  std::string token_file;
  std::string client_id;
  std::string client_document;
  std::string client_secret;
  ClientAuth client_auth = ClientAuth::any;
  std::string key;
  std::string key_id;
  std::string algorithm;
  std::vector<std::string> scopes;
  std::string issuer;
  std::string token_url;
  std::string resource;
  SubjectType subject_type = SubjectType::access_token;
  std::string subject_file;
  std::string audience;
  std::optional<ExchangeSettings> exchange;
  std::string ca;
  config::Duration renew_before{60'000};
  config::Duration retry{5'000};
  config::Duration fetch_time{10'000};
  config::Bytes answer{256 << 10};
};

// Interactive sign-in for upstreams: the section `sign_in` of the gateway.
struct SignInSettings {
  std::string url;
  std::string listen = "127.0.0.1:0";
  std::string name = "Patchbay";
  std::string key;
  config::Duration time{600'000};
  int most = 1'000;
  int most_of_caller = 0;
  bool require_credentials = true;
};

}  // namespace patchbay::oauth

namespace patchbay {

template <>
const config::Fields& config::fields<oauth::SignInSettings>();

template <>
inline constexpr auto config::choices<oauth::Kind> = std::array{
    Choice{"bearer", oauth::Kind::bearer},
    Choice{"client_credentials", oauth::Kind::client_credentials},
    Choice{"authorization_code", oauth::Kind::authorization_code},
    Choice{"token_exchange", oauth::Kind::token_exchange},
    Choice{"jwt_bearer", oauth::Kind::jwt_bearer},
};

template <>
inline constexpr auto config::choices<oauth::SubjectType> = std::array{
    Choice{"access_token", oauth::SubjectType::access_token},
    Choice{"id_token", oauth::SubjectType::id_token},
    Choice{"jwt", oauth::SubjectType::jwt},
};

template <>
inline constexpr auto config::choices<oauth::ClientAuth> = std::array{
    Choice{"any", oauth::ClientAuth::any},
    Choice{"client_secret_basic", oauth::ClientAuth::client_secret_basic},
    Choice{"client_secret_post", oauth::ClientAuth::client_secret_post},
    Choice{"private_key_jwt", oauth::ClientAuth::private_key_jwt},
    Choice{"none", oauth::ClientAuth::none},
};

template <>
const config::Fields& config::fields<oauth::ExchangeSettings>();

template <>
const config::Fields& config::fields<oauth::Settings>();

}  // namespace patchbay
