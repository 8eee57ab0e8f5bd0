#include "oauth/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<oauth::SignInSettings>() {
  static const Fields kFields = fields_of<oauth::SignInSettings>({
      {"url", &oauth::SignInSettings::url,
       "URL at which browsers reach the gateway: https://gateway.example. Empty: http:// and "
       "the address of `listen`, if that is loopback."},
      {"listen", &oauth::SignInSettings::listen,
       "Address of the redirect endpoint of `patchbay stdio`. It serves nothing else."},
      {"name", &oauth::SignInSettings::name, "Client name displayed to people who sign in."},
      {"key", &oauth::SignInSettings::key,
       "Key that encrypts stored tokens: 32 bytes in base64url. Empty: the file tokens.key in "
       "the `state` folder, created when first needed."},
      {"timeout", &oauth::SignInSettings::time, "Maximum time to complete a sign-in.",
       Range{Duration(1'000), Duration(86'400'000)}, Alias{"time"}},
      {"max_pending", &oauth::SignInSettings::most, "Maximum number of sign-ins in progress.",
       Range{1, 100'000}, Alias{"most"}},
      {"max_pending_per_caller", &oauth::SignInSettings::most_of_caller,
       "Maximum number of sign-ins in progress per caller. 0: a quarter of `max_pending`.",
       Range{0, 100'000}},
      {"require_credentials", &oauth::SignInSettings::require_credentials,
       "Whether the person who opens a sign-in link must present the credentials of the caller "
       "it was made for, if callers have credentials. Off: any browser can use the link, and a "
       "person who opens another caller's link gives that caller access to their account."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<oauth::ExchangeSettings>() {
  static const Fields kFields = fields_of<oauth::ExchangeSettings>({
      {"token_url", &oauth::ExchangeSettings::token_url, "Token endpoint of the server.",
       Required{}},
      {"client_id", &oauth::ExchangeSettings::client_id,
       "Client id of the gateway at that server."},
      {"client_secret", &oauth::ExchangeSettings::client_secret,
       "Client secret. Keep it out of the file with ${env:NAME}."},
      {"client_auth", &oauth::ExchangeSettings::client_auth,
       "Client authentication method: any, client_secret_basic, client_secret_post or none."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<oauth::Settings>() {
  static const Fields kFields = fields_of<oauth::Settings>({
      {"kind", &oauth::Settings::kind,
       "bearer: a token from the configuration or a file. client_credentials: a token that the "
       "gateway requests as an OAuth client. authorization_code: a token that each caller "
       "obtains by signing in. token_exchange: a token in exchange for the caller's JSON Web "
       "Token. jwt_bearer: a token in exchange for an assertion in a file that identifies the "
       "gateway's process.",
       Required{}},
      {"token", &oauth::Settings::token,
       "bearer: the token. Keep it out of the file with ${env:NAME}."},
      {"token_file", &oauth::Settings::token_file,
       "bearer: file with the token, instead of `token`; changes apply at once. jwt_bearer: "
       "file with the assertion."},
      {"client_id", &oauth::Settings::client_id,
       "Client id of the gateway at the authorization server."},
      {"client_document", &oauth::Settings::client_document,
       "authorization_code without a client_id: URL of a client metadata document, for "
       "authorization servers that accept one. Empty: the gateway's own, if sign_in.url is "
       "https."},
      {"client_secret", &oauth::Settings::client_secret,
       "Client secret. Keep it out of the file with ${env:NAME}."},
      {"client_auth", &oauth::Settings::client_auth,
       "Client authentication method. any: the one that the authorization server asks for."},
      {"key", &oauth::Settings::key, "private_key_jwt: PEM file with the private key."},
      {"key_id", &oauth::Settings::key_id,
       "private_key_jwt: id of the key (kid) at the authorization server."},
      {"algorithm", &oauth::Settings::algorithm,
       "private_key_jwt: signature algorithm. Empty: RS256, ES256, ES384, ES512 or EdDSA, by "
       "the type of the key."},
      {"scopes", &oauth::Settings::scopes,
       "Scopes to request. None given: those named in the upstream's challenge, else all in its "
       "metadata. More are requested when a call needs them."},
      {"issuer", &oauth::Settings::issuer,
       "Authorization server. authorization_code without a client_id may omit it: then the "
       "upstream's metadata name the server. Every other kind needs issuer or token_url."},
      {"token_url", &oauth::Settings::token_url,
       "Token endpoint, if the authorization server publishes no metadata."},
      {"resource", &oauth::Settings::resource,
       "Resource that tokens are for (RFC 8707). Empty: the one in the upstream's metadata, "
       "else its URL."},
      {"subject_type", &oauth::Settings::subject_type,
       "token_exchange: type of the caller's token."},
      {"subject_file", &oauth::Settings::subject_file,
       "token_exchange: file with the token to exchange for the gateway's own connection. "
       "Empty: that connection uses client credentials."},
      {"audience", &oauth::Settings::audience,
       "token_exchange: audience of the new token, if `resource` does not name it."},
      {"exchange", &oauth::Settings::exchange,
       "token_exchange: server that issued the caller's token, if it is not the upstream's. It "
       "issues an assertion (ID-JAG) that the upstream's server accepts."},
      {"ca", &oauth::Settings::ca,
       "PEM file with the certificates trusted for token and metadata requests. Empty: those of "
       "the system."},
      {"renew_before", &oauth::Settings::renew_before,
       "How long before its expiry a token is renewed; at most half of its lifetime.",
       Range{Duration(0), Duration(3'600'000)}},
      {"retry_interval", &oauth::Settings::retry,
       "Wait before a failed token request is tried again.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"retry"}},
      {"fetch_timeout", &oauth::Settings::fetch_time,
       "Maximum duration of each request for metadata or a token.",
       Range{Duration(10), Duration(60'000)}, Alias{"fetch_time"}},
      {"max_response_size", &oauth::Settings::answer,
       "Maximum size of the response to such a request.", Range{Bytes{1024}, Bytes{16 << 20}},
       Alias{"answer"}},
  });
  return kFields;
}

}  // namespace patchbay
