// The pages for people who sign in for an upstream, all below /oauth and open to everyone:
//  - /oauth/sign-in/ID says who wants to use what, and sends the browser on to sign in;
//  - /oauth/callback/UPSTREAM is where it comes back to;
//  - /oauth/client/UPSTREAM is what authorization servers may read about us.
// Who does not know an ID, or comes with another browser than the one that went, gets nowhere.
// Where callers have credentials, the person who opens a link must show those of the caller that it
// is for (an admin's, if it is for the gateway itself), so that nobody else can use the link.
//
// One per worker; confined to it. The TokenService is shared.
#pragma once

#include <string>
#include <string_view>

#include "frontends/auth/request_authenticator.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"
#include "oauth/token_service.h"

namespace patchbay::frontends {

class SignInPages final : public net::HttpHandler {
 public:
  // REQUIRES: all outlive this.
  SignInPages(oauth::TokenService& service, RequestAuthenticator& authenticator,
              const gateway::CatalogView& catalog)
      : service_(service), authenticator_(authenticator), catalog_(catalog) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<void> show(net::HttpExchange& exchange, std::string id);
  Task<void> send_on(net::HttpExchange& exchange, std::string id);
  Task<void> receive(net::HttpExchange& exchange, std::string upstream);
  Task<void> introduce_us(net::HttpExchange& exchange, std::string upstream);

  bool wants_credentials(const oauth::SignInPage& sign_in) const;
  // Who sends the form, by its request or by what is in it.
  Task<Caller> visitor(net::HttpExchange& exchange);
  Result<void> check_visitor(const Principal& person, const oauth::SignInPage& sign_in) const;

  oauth::TokenService& service_;
  RequestAuthenticator& authenticator_;
  const gateway::CatalogView& catalog_;
};

// Text as it may stand in HTML, between tags and in quotes.
std::string html_escape(std::string_view text);

}  // namespace patchbay::frontends
