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
          "Where browsers reach the gateway: https://gateway.example. Empty: http:// and the "
          "address of `listen`, if that is loopback."},
    Field{"listen", &oauth::SignInSettings::listen,
          "Of `patchbay stdio`: where browsers come back to. Nothing else is served there."},
    Field{"name", &oauth::SignInSettings::name, "Who people are told that wants them to sign in."},
    Field{"key", &oauth::SignInSettings::key,
          "The key that kept tokens are sealed with, 32 bytes in base64url; empty: one in the file "
          "tokens.key of the `state` folder, made when it is first needed."},
    Field{"time", &oauth::SignInSettings::time, "How long somebody may take to sign in.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"most", &oauth::SignInSettings::most, "How many may be signing in at a time.",
          Range{1, 100'000}},
    Field{
        "require_credentials", &oauth::SignInSettings::require_credentials,
        "Whether the person who opens a link must show the credentials of the caller that it was "
        "made for, where callers have credentials. Off: any browser can use the link, and a person "
        "who opens the link of another caller gives that caller access to their account."},
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
    Field{"token_url", &oauth::ExchangeSettings::token_url, "Its token endpoint.", Required{}},
    Field{"client_id", &oauth::ExchangeSettings::client_id, "Who we are there."},
    Field{"client_secret", &oauth::ExchangeSettings::client_secret,
          "The secret that goes with it; keep it out of the file with ${env:NAME}."},
    Field{"client_auth", &oauth::ExchangeSettings::client_auth,
          "How we prove who we are: any of client_secret_basic, client_secret_post, none."},
};

template <>
inline constexpr auto config::fields<oauth::Settings> = std::tuple{
    Field{
        "kind", &oauth::Settings::kind,
        "bearer: a token from the configuration or a file. client_credentials: a token that we "
        "fetch as a client of an authorization server. authorization_code: a token that a person "
        "gives by signing in there, each caller for itself. token_exchange: one in exchange for "
        "the JSON Web Token that the caller has shown us. jwt_bearer: one in exchange for a token "
        "in a file that says what our process is.",
        Required{}},
    Field{"token", &oauth::Settings::token,
          "Of bearer: the token; keep it out of the file with ${env:NAME}."},
    Field{"token_file", &oauth::Settings::token_file,
          "Of bearer, instead: a file with the token; another token in it counts at once. Of "
          "jwt_bearer: the file with what is shown."},
    Field{"client_id", &oauth::Settings::client_id,
          "Who we are to the authorization server, as it has registered us."},
    Field{"client_document", &oauth::Settings::client_document,
          "Of authorization_code, without a client_id: the URL of a document about us, for "
          "authorization servers that take such; empty: our own, if sign_in.url is https."},
    Field{"client_secret", &oauth::Settings::client_secret,
          "The secret that goes with it; keep it out of the file with ${env:NAME}."},
    Field{"client_auth", &oauth::Settings::client_auth,
          "How we prove who we are; any: as the authorization server says that it wants it."},
    Field{"key", &oauth::Settings::key, "Of private_key_jwt: a PEM file with our private key."},
    Field{"key_id", &oauth::Settings::key_id,
          "What the authorization server calls that key (kid)."},
    Field{"algorithm", &oauth::Settings::algorithm,
          "How it signs; empty: RS256, ES256, ES384, ES512 or EdDSA, by its type."},
    Field{"scopes", &oauth::Settings::scopes,
          "The scopes that are asked for; none given: those that the server's refusal names, else "
          "all that its metadata name. More are asked for when a call needs them."},
    Field{
        "issuer", &oauth::Settings::issuer,
        "The authorization server. Without a client_id, authorization_code may leave it out: then "
        "it is the one that the upstream's metadata name. All else needs it, or token_url."},
    Field{"token_url", &oauth::Settings::token_url,
          "Its token endpoint, where it publishes no metadata."},
    Field{"resource", &oauth::Settings::resource,
          "What tokens are asked for (RFC 8707); empty: as the upstream's metadata say, else its "
          "URL."},
    Field{"subject_type", &oauth::Settings::subject_type,
          "Of token_exchange: what the token of a caller is."},
    Field{"subject_file", &oauth::Settings::subject_file,
          "Of token_exchange: a file with the token that is exchanged for the gateway's own "
          "connection; empty: that has a token by client credentials."},
    Field{"audience", &oauth::Settings::audience,
          "Of token_exchange: whom the new token is for, where `resource` does not say it."},
    Field{"exchange", &oauth::Settings::exchange,
          "Of token_exchange: the server that knows the caller, if that is not the one of the "
          "upstream. It gives an assertion (ID-JAG), which the other takes."},
    Field{"ca", &oauth::Settings::ca,
          "A PEM file with the certificates that are trusted where tokens and metadata come from; "
          "empty: those of the system."},
    Field{"renew_before", &oauth::Settings::renew_before,
          "How long before it expires a token is renewed; at most half of its life.",
          Range{Duration(0), Duration(3'600'000)}},
    Field{"retry", &oauth::Settings::retry,
          "After a failure, how long it takes until a token is asked for again.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"fetch_time", &oauth::Settings::fetch_time,
          "How long each request for metadata or a token may take.",
          Range{Duration(10), Duration(60'000)}},
    Field{"answer", &oauth::Settings::answer, "The largest answer to one.",
          Range{Bytes{1024}, Bytes{16 << 20}}},
};

}  // namespace patchbay
