#include "frontends/console/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<frontends::ConsoleOidcSettings>() {
  static const Fields kFields = fields_of<frontends::ConsoleOidcSettings>({
      {"issuer", &frontends::ConsoleOidcSettings::issuer,
       "Issuer at which people sign in. Empty: the first one of auth.jwt. Its tokens must be "
       "accepted by auth.jwt."},
      {"client_id", &frontends::ConsoleOidcSettings::client_id,
       "Client id of the console at the issuer. Its redirect URI is "
       "https://GATEWAY/console/api/oidc/callback.",
       Required{}},
      {"client_secret", &frontends::ConsoleOidcSettings::client_secret,
       "Client secret, if the client is confidential. Keep it out of the file with ${env:NAME}."},
      {"scopes", &frontends::ConsoleOidcSettings::scopes, "Scopes to request."},
      {"resource", &frontends::ConsoleOidcSettings::resource,
       "Resource that the token is requested for (RFC 8707). Empty: auth.resource."},
      {"ca", &frontends::ConsoleOidcSettings::ca,
       "PEM file with the certificates trusted for requests to the issuer. Empty: those of the "
       "system."},
      {"sign_in_timeout", &frontends::ConsoleOidcSettings::sign_in_time,
       "Maximum time to complete a sign-in.", Range{Duration(1'000), Duration(3'600'000)}},
      {"fetch_timeout", &frontends::ConsoleOidcSettings::fetch_time,
       "Maximum duration of each request to the issuer.", Range{Duration(10), Duration(60'000)}},
      {"max_response_size", &frontends::ConsoleOidcSettings::answer,
       "Maximum size of the response to such a request.", Range{Bytes{1024}, Bytes{16 << 20}}},
      {"max_requests", &frontends::ConsoleOidcSettings::max_requests,
       "Maximum number of requests to the issuer in progress, per worker.", Range{1, 10'000}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<frontends::ConsoleSettings>() {
  static const Fields kFields = fields_of<frontends::ConsoleSettings>({
      {"enabled", &frontends::ConsoleSettings::enabled,
       "Whether the console is served at /console/, and people can sign in to it."},
      {"session_timeout", &frontends::ConsoleSettings::session_timeout,
       "Time after which a person has to sign in again. A session also ends with the credentials "
       "that it was made with.",
       Range{Duration(1'000), Duration(604'800'000)}},
      {"max_sessions", &frontends::ConsoleSettings::max_sessions,
       "Maximum number of sessions of the console.", Range{1, 1'000'000}},
      {"max_sessions_per_caller", &frontends::ConsoleSettings::max_sessions_per_caller,
       "Maximum number of sessions per caller. One more ends the oldest.", Range{1, 10'000}},
      {"edit", &frontends::ConsoleSettings::edit,
       "Whether admins can change the configuration file in the console, and over the control API. "
       "Commands, files, credentials and access to the gateway cannot be changed there."},
      {"apply_timeout", &frontends::ConsoleSettings::apply_timeout,
       "Maximum time an admin who has changed the file waits for its reload.",
       Range{Duration(10), Duration(600'000)}},
      {"oidc", &frontends::ConsoleSettings::oidc,
       "Sign-in at an OpenID Connect issuer (authorization code with PKCE). Absent: people sign "
       "in with a token, a password or a client certificate."},
  });
  return kFields;
}

}  // namespace patchbay
