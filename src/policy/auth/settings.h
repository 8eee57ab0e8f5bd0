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
    Field{"name", &policy::TokenSettings::name, "Who calls with it.", Required{}},
    Field{"token", &policy::TokenSettings::token,
          "The token itself; keep it out of the file with ${env:NAME} or ${file:PATH}."},
    Field{"hash", &policy::TokenSettings::hash,
          "Instead of the token: its salted hash, as `patchbay token hash` prints it."},
    Field{"roles", &policy::TokenSettings::roles, "The roles of the caller."},
    Field{"scopes", &policy::TokenSettings::scopes, "The scopes of the caller."},
};

template <>
inline constexpr auto config::fields<policy::ClaimSettings> = std::tuple{
    Field{"name", &policy::ClaimSettings::name,
          "The claim that names the caller. Here and below: a member, or a JSON pointer such as "
          "/realm_access/roles."},
    Field{"roles", &policy::ClaimSettings::roles,
          "The claim with the roles: a list, or one text with blanks between them."},
    Field{"scopes", &policy::ClaimSettings::scopes, "The claim with the scopes, in the same way."},
};

template <>
inline constexpr auto config::fields<policy::JwtSettings> = std::tuple{
    Field{"issuer", &policy::JwtSettings::issuer, "Who signs: exactly what `iss` says.",
          Required{}},
    Field{"jwks", &policy::JwtSettings::jwks,
          "Where its keys are published: https://…, or http:// on this machine.", Required{}},
    Field{"ca", &policy::JwtSettings::ca,
          "A PEM file with the certificates that are trusted there; empty: those of the system."},
    Field{"algorithms", &policy::JwtSettings::algorithms,
          "Which of RS256 … RS512, PS256 … PS512, ES256 … ES512 and EdDSA are taken; none given: "
          "all of them. A key is only ever used with its own."},
    Field{"claims", &policy::JwtSettings::claims, "Which claims say who the caller is."},
    Field{"roles", &policy::JwtSettings::roles, "Roles of every caller with such a token."},
    Field{"leeway", &policy::JwtSettings::leeway,
          "How far clocks may differ where `exp`, `nbf` and `iat` are looked at.",
          Range{Duration(0), Duration(60'000)}},
    Field{"refresh", &policy::JwtSettings::refresh, "After how long the keys are fetched again.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"refetch", &policy::JwtSettings::refetch,
          "How often, at most, a token with an unknown key has them fetched again.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"max_stale", &policy::JwtSettings::max_stale,
          "For how long keys are used that could not be fetched again; then nobody is let in.",
          Range{Duration(1'000), Duration(604'800'000)}},
    Field{"fetch_time", &policy::JwtSettings::fetch_time, "How long fetching them may take.",
          Range{Duration(10), Duration(60'000)}},
    Field{"answer", &policy::JwtSettings::answer, "The largest answer with keys.",
          Range{Bytes{1024}, Bytes{16 << 20}}},
    Field{"keys", &policy::JwtSettings::keys, "The most keys in it.", Range{1, 1'000}},
};

template <>
inline constexpr auto config::fields<policy::BasicSettings> = std::tuple{
    Field{"file", &policy::BasicSettings::file,
          "Lines of `user:hash` as htpasswd -B writes them: bcrypt, sha512-crypt or yescrypt.",
          Required{}},
    Field{"roles", &policy::BasicSettings::roles, "The roles of users, by name."},
};

template <>
inline constexpr auto config::fields<policy::CertificateSettings> = std::tuple{
    Field{"san", &policy::CertificateSettings::san,
          "The name that a verified client certificate must have: uri:…, dns:…, email:…, or cn:… "
          "where tls.common_name is on.",
          Required{}},
    Field{"name", &policy::CertificateSettings::name, "Who calls with it.", Required{}},
    Field{"roles", &policy::CertificateSettings::roles, "The roles of the caller."},
};

template <>
inline constexpr auto config::fields<policy::ProxySettings> = std::tuple{
    Field{"from", &policy::ProxySettings::from,
          "The addresses of the proxy: 10.0.0.5, 10.1.0.0/16, ::1."},
    Field{"certificate", &policy::ProxySettings::certificate,
          "Instead, or also: a name in its client certificate, as in `certificates`."},
    Field{"header", &policy::ProxySettings::header,
          "The header in which it names the caller. From anybody else it means nothing."},
    Field{"roles_header", &policy::ProxySettings::roles_header,
          "A header with the roles, commas between them."},
    Field{"roles", &policy::ProxySettings::roles, "Roles of every caller that comes this way."},
};

template <>
inline constexpr auto config::fields<policy::FailureSettings> = std::tuple{
    Field{"most", &policy::FailureSettings::most,
          "How many failed attempts an address has in a window; then it is told to wait.",
          Range{1, 1'000'000}},
    Field{"window", &policy::FailureSettings::window, "How long they count.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"addresses", &policy::FailureSettings::addresses, "How many addresses are kept.",
          Range{16, 10'000'000}},
};

template <>
inline constexpr auto config::fields<policy::AuthSettings> = std::tuple{
    Field{"tokens", &policy::AuthSettings::tokens, "API tokens that callers send as Bearer."},
    Field{"token_file", &policy::AuthSettings::token_file,
          "A file with tokens that `patchbay token` makes and revokes; changes count at once."},
    Field{"jwt", &policy::AuthSettings::jwt,
          "Issuers whose JSON Web Tokens are taken, if made for `resource`."},
    Field{"basic", &policy::AuthSettings::basic, "User names and passwords (HTTP Basic)."},
    Field{"certificates", &policy::AuthSettings::certificates,
          "Client certificates of the TLS listener, by the names in them."},
    Field{"proxies", &policy::AuthSettings::proxies,
          "Proxies that have already found out who calls, and say so in a header."},
    Field{
        "resource", &policy::AuthSettings::resource,
        "Our own URI, as clients know it: https://gateway.example/mcp. The audience of every JWT; "
        "required with jwt."},
    Field{"scopes", &policy::AuthSettings::scopes, "The scopes that every JWT must have."},
    Field{"open", &policy::AuthSettings::open, "What nobody is asked for."},
    Field{"credential", &policy::AuthSettings::credential,
          "The longest token or password that is looked at.", Range{Bytes{64}, Bytes{1 << 20}}},
    Field{"remembered", &policy::AuthSettings::remembered,
          "How many verified credentials each worker remembers.", Range{16, 10'000'000}},
    Field{"verifying", &policy::AuthSettings::verifying,
          "How many threads check passwords and hashes of tokens.", Range{1, 64}},
    Field{"waiting", &policy::AuthSettings::waiting, "How many such checks may wait.",
          Range{1, 100'000}},
    Field{"failures", &policy::AuthSettings::failures, "What failed attempts cost."},
};

}  // namespace patchbay
