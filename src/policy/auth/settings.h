// The section `auth`. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"

namespace patchbay::policy {

struct TokenSettings {
  std::string name;
  std::string token;
  std::string hash;
  std::vector<std::string> roles;
  std::vector<std::string> scopes;

  bool operator==(const TokenSettings&) const = default;
};

struct ClaimSettings {
  std::string name = "sub";
  std::string roles = "roles";
  std::string scopes = "scope";

  bool operator==(const ClaimSettings&) const = default;
};

struct JwtSettings {
  std::string issuer;
  std::string jwks;
  std::string ca;
  std::vector<std::string> algorithms;
  ClaimSettings claims;
  std::vector<std::string> roles;
  config::Duration leeway{30'000};
  config::Duration refresh{600'000};
  config::Duration refetch{30'000};
  config::Duration max_stale{3'600'000};
  config::Duration fetch_time{5'000};
  config::Bytes answer{1 << 20};
  int keys = 100;

  bool operator==(const JwtSettings&) const = default;
};

struct BasicSettings {
  std::string file;
  config::Dict<std::vector<std::string>> roles;

  bool operator==(const BasicSettings&) const = default;
};

struct CertificateSettings {
  std::string san;
  std::string name;
  std::vector<std::string> roles;

  bool operator==(const CertificateSettings&) const = default;
};

struct ProxySettings {
  std::vector<std::string> from;
  std::string certificate;
  std::string header = "X-Forwarded-User";
  std::string roles_header;
  std::vector<std::string> roles;

  bool operator==(const ProxySettings&) const = default;
};

struct FailureSettings {
  int most = 20;
  int most_per_address = 200;
  config::Duration window{60'000};
  int addresses = 10'000;

  bool operator==(const FailureSettings&) const = default;
};

enum class PublicPath : std::uint8_t { metrics, swagger_ui };

struct AuthSettings {
  std::vector<TokenSettings> tokens;
  std::string token_file;
  std::vector<JwtSettings> jwt;
  std::optional<BasicSettings> basic;
  std::vector<CertificateSettings> certificates;
  std::vector<ProxySettings> proxies;
  std::string resource;
  std::vector<std::string> scopes;
  std::vector<PublicPath> open;
  config::Bytes credential{16 * 1024};
  int remembered = 10'000;
  int verifying = 2;
  int waiting = 64;
  FailureSettings failures;

  // False: nothing is configured and no authentication is required.
  bool on() const {
    return !tokens.empty() || !token_file.empty() || !jwt.empty() || basic ||
           !certificates.empty() || !proxies.empty();
  }

  bool operator==(const AuthSettings&) const = default;
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
inline constexpr auto config::choices<policy::PublicPath> = std::array{
    Choice{"metrics", policy::PublicPath::metrics},
    Choice{"swagger-ui", policy::PublicPath::swagger_ui},
};

template <>
inline constexpr auto config::fields<policy::TokenSettings> = std::tuple{
    Field{"name", &policy::TokenSettings::name, "Name of the caller.", Required{}},
    Field{"token", &policy::TokenSettings::token,
          "The token. Keep it out of the file with ${env:NAME} or ${file:PATH}."},
    Field{"hash", &policy::TokenSettings::hash,
          "Salted hash of the token, instead of the token, as printed by `patchbay token hash`."},
    Field{"roles", &policy::TokenSettings::roles, "Roles of the caller."},
    Field{"scopes", &policy::TokenSettings::scopes, "Scopes of the caller."},
};

template <>
inline constexpr auto config::fields<policy::ClaimSettings> = std::tuple{
    Field{"name", &policy::ClaimSettings::name,
          "Claim with the caller's name. Here and below: a member, or a JSON pointer such as "
          "/realm_access/roles."},
    Field{"roles", &policy::ClaimSettings::roles,
          "Claim with the roles: a list, or one string separated by spaces."},
    Field{"scopes", &policy::ClaimSettings::scopes, "Claim with the scopes, in the same format."},
};

template <>
inline constexpr auto config::fields<policy::JwtSettings> = std::tuple{
    Field{"issuer", &policy::JwtSettings::issuer, "Issuer of the tokens: the exact value of `iss`.",
          Required{}},
    Field{"jwks", &policy::JwtSettings::jwks,
          "URL of the issuer's key set: https://…, or http:// on this machine.", Required{}},
    Field{"ca", &policy::JwtSettings::ca,
          "PEM file with the certificates trusted for that URL. Empty: those of the system."},
    Field{"algorithms", &policy::JwtSettings::algorithms,
          "Accepted signature algorithms: any of RS256 … RS512, PS256 … PS512, ES256 … ES512 and "
          "EdDSA. None given: all of them. A key is used only with its own algorithm."},
    Field{"claims", &policy::JwtSettings::claims, "Claims that identify the caller."},
    Field{"roles", &policy::JwtSettings::roles,
          "Roles of every caller with a token of this issuer."},
    Field{"leeway", &policy::JwtSettings::leeway,
          "Accepted clock difference for `exp`, `nbf` and `iat`.",
          Range{Duration(0), Duration(60'000)}},
    Field{"refresh_interval", &policy::JwtSettings::refresh,
          "Interval at which the keys are fetched again.",
          Range{Duration(1'000), Duration(86'400'000)}, Alias{"refresh"}},
    Field{"refetch_interval", &policy::JwtSettings::refetch,
          "Minimum interval between fetches caused by tokens with an unknown key.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"refetch"}},
    Field{"max_stale", &policy::JwtSettings::max_stale,
          "Maximum time that keys are used after they could not be refreshed. Then every token is "
          "refused.",
          Range{Duration(1'000), Duration(604'800'000)}},
    Field{"fetch_timeout", &policy::JwtSettings::fetch_time, "Maximum duration of a fetch.",
          Range{Duration(10), Duration(60'000)}, Alias{"fetch_time"}},
    Field{"max_response_size", &policy::JwtSettings::answer, "Maximum size of the key set.",
          Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"answer"}},
    Field{"max_keys", &policy::JwtSettings::keys, "Maximum number of keys in the key set.",
          Range{1, 1'000}, Alias{"keys"}},
};

template <>
inline constexpr auto config::fields<policy::BasicSettings> = std::tuple{
    Field{
        "file", &policy::BasicSettings::file,
        "File with lines `user:hash` as written by htpasswd -B: bcrypt, sha512-crypt or yescrypt.",
        Required{}},
    Field{"roles", &policy::BasicSettings::roles, "Roles of users, by name."},
};

template <>
inline constexpr auto config::fields<policy::CertificateSettings> = std::tuple{
    Field{"san", &policy::CertificateSettings::san,
          "Name in a verified client certificate: uri:…, dns:…, email:…, or cn:… if "
          "tls.common_name is on.",
          Required{}},
    Field{"name", &policy::CertificateSettings::name, "Name of the caller.", Required{}},
    Field{"roles", &policy::CertificateSettings::roles, "Roles of the caller."},
};

template <>
inline constexpr auto config::fields<policy::ProxySettings> = std::tuple{
    Field{"from", &policy::ProxySettings::from,
          "Addresses of the proxy: 10.0.0.5, 10.1.0.0/16, ::1."},
    Field{"certificate", &policy::ProxySettings::certificate,
          "Name in the proxy's client certificate, as in `certificates`; instead of addresses, or "
          "in addition."},
    Field{"header", &policy::ProxySettings::header,
          "Header with the caller's name. It is ignored from any other address."},
    Field{"roles_header", &policy::ProxySettings::roles_header,
          "Header with the caller's roles, separated by commas."},
    Field{"roles", &policy::ProxySettings::roles, "Roles of every caller that this proxy names."},
};

template <>
inline constexpr auto config::fields<policy::FailureSettings> = std::tuple{
    Field{"max_failures", &policy::FailureSettings::most,
          "Maximum number of failed attempts per address and credential name (the user, or the id "
          "of the token) in one window. Further attempts are answered with 429. The same wrong "
          "credential again within 10s is the same attempt.",
          Range{1, 1'000'000}, Alias{"most"}},
    Field{"max_failures_per_address", &policy::FailureSettings::most_per_address,
          "Maximum number of failed attempts per address in one window, whatever the names.",
          Range{1, 10'000'000}},
    Field{"window", &policy::FailureSettings::window, "Duration of the window.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"max_addresses", &policy::FailureSettings::addresses,
          "Maximum number of addresses and names tracked.", Range{16, 10'000'000},
          Alias{"addresses"}},
};

template <>
inline constexpr auto config::fields<policy::AuthSettings> = std::tuple{
    Field{"tokens", &policy::AuthSettings::tokens,
          "API tokens that callers send as Bearer tokens."},
    Field{"token_file", &policy::AuthSettings::token_file,
          "File with tokens, managed by `patchbay token`. Changes apply at once."},
    Field{"jwt", &policy::AuthSettings::jwt,
          "Issuers whose JSON Web Tokens are accepted, if their audience is `resource`."},
    Field{"basic", &policy::AuthSettings::basic, "User names and passwords (HTTP Basic)."},
    Field{"certificates", &policy::AuthSettings::certificates,
          "Client certificates of the TLS listener, by the names in them."},
    Field{"proxies", &policy::AuthSettings::proxies,
          "Proxies that authenticate callers and name them in a header."},
    Field{"resource", &policy::AuthSettings::resource,
          "URI of the gateway, as clients know it: https://gateway.example/mcp. The audience of "
          "every JWT; required with jwt."},
    Field{"scopes", &policy::AuthSettings::scopes, "Scopes that every JWT must have."},
    Field{"open", &policy::AuthSettings::open, "Pages that need no authentication."},
    Field{"max_credential_size", &policy::AuthSettings::credential,
          "Maximum size of a token or password.", Range{Bytes{64}, Bytes{1 << 20}},
          Alias{"credential"}},
    Field{"max_cached_credentials", &policy::AuthSettings::remembered,
          "Maximum number of verified credentials cached per worker.", Range{16, 10'000'000},
          Alias{"remembered"}},
    Field{"verifier_threads", &policy::AuthSettings::verifying,
          "Number of threads that verify passwords and token hashes.", Range{1, 64},
          Alias{"verifying"}},
    Field{"max_queued_verifications", &policy::AuthSettings::waiting,
          "Maximum number of queued verifications.", Range{1, 100'000}, Alias{"waiting"}},
    Field{"failures", &policy::AuthSettings::failures, "Limits of failed attempts."},
};

}  // namespace patchbay
