#include "policy/auth/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<policy::TokenSettings>() {
  static const Fields kFields = fields_of<policy::TokenSettings>({
      {"name", &policy::TokenSettings::name, "Name of the caller.", Required{}},
      {"token", &policy::TokenSettings::token,
       "The token. Keep it out of the file with ${env:NAME} or ${file:PATH}."},
      {"hash", &policy::TokenSettings::hash,
       "Salted hash of the token, instead of the token, as printed by `patchbay token hash`."},
      {"roles", &policy::TokenSettings::roles, "Roles of the caller."},
      {"scopes", &policy::TokenSettings::scopes, "Scopes of the caller."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::ClaimSettings>() {
  static const Fields kFields = fields_of<policy::ClaimSettings>({
      {"name", &policy::ClaimSettings::name,
       "Claim with the caller's name. Here and below: a member, or a JSON pointer such as "
       "/realm_access/roles."},
      {"roles", &policy::ClaimSettings::roles,
       "Claim with the roles: a list, or one string separated by spaces."},
      {"scopes", &policy::ClaimSettings::scopes, "Claim with the scopes, in the same format."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::JwtSettings>() {
  static const Fields kFields = fields_of<policy::JwtSettings>({
      {"issuer", &policy::JwtSettings::issuer, "Issuer of the tokens: the exact value of `iss`.",
       Required{}},
      {"jwks", &policy::JwtSettings::jwks,
       "URL of the issuer's key set: https://…, or http:// on this machine.", Required{}},
      {"ca", &policy::JwtSettings::ca,
       "PEM file with the certificates trusted for that URL. Empty: those of the system."},
      {"algorithms", &policy::JwtSettings::algorithms,
       "Accepted signature algorithms: any of RS256 … RS512, PS256 … PS512, ES256 … ES512 and "
       "EdDSA. None given: all of them. A key is used only with its own algorithm."},
      {"claims", &policy::JwtSettings::claims, "Claims that identify the caller."},
      {"roles", &policy::JwtSettings::roles, "Roles of every caller with a token of this issuer."},
      {"leeway", &policy::JwtSettings::leeway,
       "Accepted clock difference for `exp`, `nbf` and `iat`.",
       Range{Duration(0), Duration(60'000)}},
      {"refresh_interval", &policy::JwtSettings::refresh,
       "Interval at which the keys are fetched again.",
       Range{Duration(1'000), Duration(86'400'000)}, Alias{"refresh"}},
      {"refetch_interval", &policy::JwtSettings::refetch,
       "Minimum interval between fetches caused by tokens with an unknown key.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"refetch"}},
      {"max_stale", &policy::JwtSettings::max_stale,
       "Maximum time that keys are used after they could not be refreshed. Then every token is "
       "refused.",
       Range{Duration(1'000), Duration(604'800'000)}},
      {"fetch_timeout", &policy::JwtSettings::fetch_time, "Maximum duration of a fetch.",
       Range{Duration(10), Duration(60'000)}, Alias{"fetch_time"}},
      {"max_response_size", &policy::JwtSettings::answer, "Maximum size of the key set.",
       Range{Bytes{1024}, Bytes{16 << 20}}, Alias{"answer"}},
      {"max_keys", &policy::JwtSettings::keys, "Maximum number of keys in the key set.",
       Range{1, 1'000}, Alias{"keys"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::BasicSettings>() {
  static const Fields kFields = fields_of<policy::BasicSettings>({
      {"file", &policy::BasicSettings::file,
       "File with lines `user:hash` as written by htpasswd -B: bcrypt, sha512-crypt or yescrypt.",
       Required{}},
      {"roles", &policy::BasicSettings::roles, "Roles of users, by name."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::CertificateSettings>() {
  static const Fields kFields = fields_of<policy::CertificateSettings>({
      {"san", &policy::CertificateSettings::san,
       "Name in a verified client certificate: uri:…, dns:…, email:…, or cn:… if "
       "tls.common_name is on.",
       Required{}},
      {"name", &policy::CertificateSettings::name, "Name of the caller.", Required{}},
      {"roles", &policy::CertificateSettings::roles, "Roles of the caller."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::ProxySettings>() {
  static const Fields kFields = fields_of<policy::ProxySettings>({
      {"from", &policy::ProxySettings::from, "Addresses of the proxy: 10.0.0.5, 10.1.0.0/16, ::1."},
      {"certificate", &policy::ProxySettings::certificate,
       "Name in the proxy's client certificate, as in `certificates`; instead of addresses, or "
       "in addition."},
      {"header", &policy::ProxySettings::header,
       "Header with the caller's name. It is ignored from any other address."},
      {"roles_header", &policy::ProxySettings::roles_header,
       "Header with the caller's roles, separated by commas."},
      {"roles", &policy::ProxySettings::roles, "Roles of every caller that this proxy names."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::FailureSettings>() {
  static const Fields kFields = fields_of<policy::FailureSettings>({
      {"max_failures", &policy::FailureSettings::most,
       "Maximum number of failed attempts per address and credential name (the user, or the id "
       "of the token) in one window. Further attempts are answered with 429. The same wrong "
       "credential again within 10s is the same attempt.",
       Range{1, 1'000'000}, Alias{"most"}},
      {"max_failures_per_address", &policy::FailureSettings::most_per_address,
       "Maximum number of failed attempts per address in one window, whatever the names.",
       Range{1, 10'000'000}},
      {"window", &policy::FailureSettings::window, "Duration of the window.",
       Range{Duration(1'000), Duration(86'400'000)}},
      {"max_addresses", &policy::FailureSettings::addresses,
       "Maximum number of addresses and names tracked.", Range{16, 10'000'000}, Alias{"addresses"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::AuthSettings>() {
  static const Fields kFields = fields_of<policy::AuthSettings>({
      {"tokens", &policy::AuthSettings::tokens, "API tokens that callers send as Bearer tokens."},
      {"token_file", &policy::AuthSettings::token_file,
       "File with tokens, managed by `patchbay token` and by admins in the console. Changes apply "
       "at "
       "once."},
      {"max_tokens", &policy::AuthSettings::max_tokens,
       "Maximum number of tokens in the token file for another one to be made in the console or "
       "through the control API.",
       Range{1, 100'000}},
      {"max_token_ttl", &policy::AuthSettings::max_token_lifetime,
       "Maximum lifetime of a token that is made in the console or through the control API; also "
       "its lifetime if none is requested.",
       Range{Duration(1'000), Duration(365LL * 24 * 3'600'000)}},
      {"jwt", &policy::AuthSettings::jwt,
       "Issuers whose JSON Web Tokens are accepted, if their audience is `resource`."},
      {"basic", &policy::AuthSettings::basic, "User names and passwords (HTTP Basic)."},
      {"certificates", &policy::AuthSettings::certificates,
       "Client certificates of the TLS listener, by the names in them."},
      {"proxies", &policy::AuthSettings::proxies,
       "Proxies that authenticate callers and name them in a header."},
      {"resource", &policy::AuthSettings::resource,
       "URI of the gateway, as clients know it: https://gateway.example/mcp. The audience of "
       "every JWT; required with jwt."},
      {"scopes", &policy::AuthSettings::scopes, "Scopes that every JWT must have."},
      {"open", &policy::AuthSettings::open, "Pages that need no authentication."},
      {"max_credential_size", &policy::AuthSettings::credential,
       "Maximum size of a token or password.", Range{Bytes{64}, Bytes{1 << 20}},
       Alias{"credential"}},
      {"max_cached_credentials", &policy::AuthSettings::remembered,
       "Maximum number of verified credentials cached per worker.", Range{16, 10'000'000},
       Alias{"remembered"}},
      {"verifier_threads", &policy::AuthSettings::verifying,
       "Number of threads that verify passwords and token hashes.", Range{1, 64},
       Alias{"verifying"}},
      {"max_queued_verifications", &policy::AuthSettings::waiting,
       "Maximum number of queued verifications.", Range{1, 100'000}, Alias{"waiting"}},
      {"failures", &policy::AuthSettings::failures, "Limits of failed attempts."},
  });
  return kFields;
}

}  // namespace patchbay
