// Signing in to the console at an OpenID Connect issuer: authorization code with PKCE.
//  - GET /console/api/oidc sends the browser to the issuer;
//  - GET /console/api/oidc/callback is where it comes back to. The token that the code is exchanged
//    for must be accepted like any other (auth.jwt), and a session begins with it.
// What must come with the callback is in a cookie, encrypted, so nothing is stored for browsers
// that never come back.
//
// One per worker; confined to it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "crypto/seal.h"
#include "frontends/auth/request_authenticator.h"
#include "frontends/console/session_page.h"
#include "frontends/console/settings.h"
#include "net/http/server/server.h"
#include "oauth/fetcher.h"
#include "oauth/metadata.h"
#include "oauth/sign_in.h"

namespace patchbay::frontends {

// How people sign in at the issuer. Constant; shared by all workers.
struct OidcClient {
  ConsoleOidcSettings settings;  // With the issuer and the resource.
  std::string base;              // At which browsers reach the gateway; empty: as they state it.
  std::shared_ptr<const oauth::Fetcher> fetcher;
  policy::Sealer sealer;
};

class OidcPage final : public net::HttpHandler {
 public:
  // REQUIRES: both outlive this.
  OidcPage(RequestAuthenticator& authenticator, SessionPage& sessions)
      : authenticator_(authenticator), sessions_(sessions) {}

  // Null: nobody can sign in here.
  void update(bool enabled, std::shared_ptr<const OidcClient> client);

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  using Client = std::shared_ptr<const OidcClient>;

  // What is in the cookie.
  struct Begun {
    std::string state;
    std::string verifier;
    std::string page;  // Where the browser goes when it is signed in.
  };

  Task<void> send_on(net::HttpExchange& exchange);
  Task<void> receive(net::HttpExchange& exchange);
  Task<BrowserSessions::Secrets> finish(const net::HttpExchange& exchange, Begun begun,
                                        oauth::Returned returned);
  Task<oauth::ServerMetadata> server(Client client);
  oauth::SignIn sign_in_of(const OidcClient& client, const net::HttpExchange& exchange,
                           oauth::ServerMetadata server) const;
  Result<Begun> begun_by(const net::HttpExchange& exchange) const;
  std::string flow_cookie(const net::HttpExchange& exchange, std::string_view value) const;
  bool is_secure(const net::HttpExchange& exchange) const;

  RequestAuthenticator& authenticator_;
  SessionPage& sessions_;
  bool enabled_ = true;
  Client client_;
  std::optional<oauth::ServerMetadata> server_;
  Deadline server_until_ = {};
  int requests_ = 0;  // To the issuer, in progress.
};

}  // namespace patchbay::frontends
