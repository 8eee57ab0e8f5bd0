// The section `auth`. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

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
  int max_tokens = 1'000;
  config::Duration max_token_lifetime{30LL * 24 * 3'600'000};
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
const config::Fields& config::fields<policy::TokenSettings>();

template <>
const config::Fields& config::fields<policy::ClaimSettings>();

template <>
const config::Fields& config::fields<policy::JwtSettings>();

template <>
const config::Fields& config::fields<policy::BasicSettings>();

template <>
const config::Fields& config::fields<policy::CertificateSettings>();

template <>
const config::Fields& config::fields<policy::ProxySettings>();

template <>
const config::Fields& config::fields<policy::FailureSettings>();

template <>
const config::Fields& config::fields<policy::AuthSettings>();

}  // namespace patchbay
