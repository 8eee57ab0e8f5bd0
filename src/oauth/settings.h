// How the gateway authenticates to an upstream over HTTP: its section `auth`. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"

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
  bool require_credentials = true;
};

}  // namespace patchbay::oauth

namespace patchbay {

template <>
inline constexpr auto config::fields<oauth::SignInSettings> = std::tuple{
    Field{"url", &oauth::SignInSettings::url,
          "URL at which browsers reach the gateway: https://gateway.example. Empty: http:// and "
          "the address of `listen`, if that is loopback."},
    Field{"listen", &oauth::SignInSettings::listen,
          "Address of the redirect endpoint of `patchbay stdio`. It serves nothing else."},
    Field{"name", &oauth::SignInSettings::name, "Client name displayed to people who sign in."},
    Field{"key", &oauth::SignInSettings::key,
          "Key that encrypts stored tokens: 32 bytes in base64url. Empty: the file tokens.key in "
          "the `state` folder, created when first needed."},
    Field{"timeout", &oauth::SignInSettings::time, "Maximum time to complete a sign-in.",
          Range{Duration(1'000), Duration(86'400'000)}, Alias{"time"}},
    Field{"max_pending", &oauth::SignInSettings::most, "Maximum number of sign-ins in progress.",
          Range{1, 100'000}, Alias{"most"}},
    Field{"require_credentials", &oauth::SignInSettings::require_credentials,
          "Whether the person who opens a sign-in link must present the credentials of the caller "
          "it was made for, if callers have credentials. Off: any browser can use the link, and a "
          "person who opens another caller's link gives that caller access to their account."},
};

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
inline constexpr auto config::fields<oauth::ExchangeSettings> = std::tuple{
    Field{"token_url", &oauth::ExchangeSettings::token_url, "Token endpoint of the server.",
          Required{}},
    Field{"client_id", &oauth::ExchangeSettings::client_id,
          "Client id of the gateway at that server."},
    Field{"client_secret", &oauth::ExchangeSettings::client_secret,
          "Client secret. Keep it out of the file with ${env:NAME}."},
    Field{"client_auth", &oauth::ExchangeSettings::client_auth,
          "Client authentication method: any, client_secret_basic, client_secret_post or none."},
};

template <>
inline constexpr auto config::fields<oauth::Settings> = std::tuple{
    Field{"kind", &oauth::Settings::kind,
          "bearer: a token from the configuration or a file. client_credentials: a token that the "
          "gateway requests as an OAuth client. authorization_code: a token that each caller "
          "obtains by signing in. token_exchange: a token in exchange for the caller's JSON Web "
          "Token. jwt_bearer: a token in exchange for an assertion in a file that identifies the "
          "gateway's process.",
          Required{}},
    Field{"token", &oauth::Settings::token,
          "bearer: the token. Keep it out of the file with ${env:NAME}."},
    Field{"token_file", &oauth::Settings::token_file,
          "bearer: file with the token, instead of `token`; changes apply at once. jwt_bearer: "
          "file with the assertion."},
    Field{"client_id", &oauth::Settings::client_id,
          "Client id of the gateway at the authorization server."},
    Field{"client_document", &oauth::Settings::client_document,
          "authorization_code without a client_id: URL of a client metadata document, for "
          "authorization servers that accept one. Empty: the gateway's own, if sign_in.url is "
          "https."},
    Field{"client_secret", &oauth::Settings::client_secret,
          "Client secret. Keep it out of the file with ${env:NAME}."},
    Field{"client_auth", &oauth::Settings::client_auth,
          "Client authentication method. any: the one that the authorization server asks for."},
    Field{"key", &oauth::Settings::key, "private_key_jwt: PEM file with the private key."},
    Field{"key_id", &oauth::Settings::key_id,
          "private_key_jwt: id of the key (kid) at the authorization server."},
    Field{"algorithm", &oauth::Settings::algorithm,
          "private_key_jwt: signature algorithm. Empty: RS256, ES256, ES384, ES512 or EdDSA, by "
          "the type of the key."},
    Field{"scopes", &oauth::Settings::scopes,
          "Scopes to request. None given: those named in the upstream's challenge, else all in its "
          "metadata. More are requested when a call needs them."},
    Field{"issuer", &oauth::Settings::issuer,
          "Authorization server. authorization_code without a client_id may omit it: then the "
          "upstream's metadata name the server. Every other kind needs issuer or token_url."},
    Field{"token_url", &oauth::Settings::token_url,
          "Token endpoint, if the authorization server publishes no metadata."},
    Field{"resource", &oauth::Settings::resource,
          "Resource that tokens are for (RFC 8707). Empty: the one in the upstream's metadata, "
          "else its URL."},
    Field{"subject_type", &oauth::Settings::subject_type,
          "token_exchange: type of the caller's token."},
    Field{"subject_file", &oauth::Settings::subject_file,
          "token_exchange: file with the token to exchange for the gateway's own connection. "
          "Empty: that connection uses client credentials."},
    Field{"audience", &oauth::Settings::audience,
          "token_exchange: audience of the new token, if `resource` does not name it."},
    Field{"exchange", &oauth::Settings::exchange,
          "token_exchange: server that issued the caller's token, if it is not the upstream's. It "
          "issues an assertion (ID-JAG) that the upstream's server accepts."},
    Field{"ca", &oauth::Settings::ca,
          "PEM file with the certificates trusted for token and metadata requests. Empty: those of "
          "the system."},
    Field{"renew_before", &oauth::Settings::renew_before,
          "How long before its expiry a token is renewed; at most half of its lifetime.",
          Range{Duration(0), Duration(3'600'000)}},
    Field{"retry_interval", &oauth::Settings::retry,
          "Wait before a failed token request is tried again.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"retry"}},
    Field{"fetch_timeout", &oauth::Settings::fetch_time,
          "Maximum duration of each request for metadata or a token.",
          Range{Duration(10), Duration(60'000)}, Alias{"fetch_time"}},
    Field{"max_response_size", &oauth::Settings::answer,
          "Maximum size of the response to such a request.", Range{Bytes{1024}, Bytes{16 << 20}},
          Alias{"answer"}},
};

}  // namespace patchbay
