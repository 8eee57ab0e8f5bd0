// The pages for people who sign in to an upstream, all below /oauth and without authentication:
// - /oauth/sign-in/ID names the requester and the upstream, and redirects the browser to the
//   authorization server;
// - /oauth/callback/UPSTREAM is the redirect endpoint;
// - /oauth/client/UPSTREAM is the metadata of the gateway for authorization servers.
// They require a known ID, and the browser that began the sign-in. Where callers have credentials,
// the person who opens a link must present those of the caller that it is for (those of an admin
// for the gateway's own connection), so that nobody else can use the link.
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
  // The caller that sends the form, by its request or by the credentials in the form.
  Task<Caller> visitor(net::HttpExchange& exchange);
  Result<void> check_visitor(const Principal& person, const oauth::SignInPage& sign_in) const;

  oauth::TokenService& service_;
  RequestAuthenticator& authenticator_;
  const gateway::CatalogView& catalog_;
};

// Escapes text for HTML, between tags and in quotes.
std::string html_escape(std::string_view text);

}  // namespace patchbay::frontends
