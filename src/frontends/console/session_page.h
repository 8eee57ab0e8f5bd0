// Signing in to the console and out: /console/api/session.
//  - GET says who the caller is, or how one can sign in;
//  - POST with a token or a password in `Authorization` begins a session;
//  - DELETE ends it.
// Open to all, since it is where one signs in. Where nobody is asked who they are, and for callers
// that a certificate or a proxy names, there are no sessions: they need none.
//
// One per worker; confined to it. The sessions are shared.
#pragma once

#include <string>

#include "frontends/auth/request_authenticator.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class SessionPage final : public net::HttpHandler {
 public:
  // REQUIRES: all outlive this.
  SessionPage(RequestAuthenticator& authenticator, const gateway::CatalogView& catalog,
              gateway::Recorder& recorder)
      : authenticator_(authenticator), catalog_(catalog), recorder_(recorder) {}

  void update(bool enabled, bool has_oidc, std::chrono::nanoseconds timeout) {
    enabled_ = enabled, has_oidc_ = has_oidc, timeout_ = timeout;
  }

  Task<void> handle(net::HttpExchange& exchange) override;

  // Begins a session for a verified caller and yields its secrets; the error is why not. Audited.
  // `method` is a constant.
  Result<BrowserSessions::Secrets> begin(const net::HttpExchange& exchange, const Caller& caller,
                                         std::string_view credentials, std::string_view method);

  // The header line that gives the browser the cookie, with its CRLF.
  std::string cookie_field(const net::HttpExchange& exchange, std::string_view cookie,
                           bool secure) const;

 private:
  Task<void> show(net::HttpExchange& exchange);
  Task<void> sign_in(net::HttpExchange& exchange);
  Task<void> sign_out(net::HttpExchange& exchange);
  std::string signed_out() const;
  std::string signed_in(const Principal& caller, std::string_view method, std::string_view csrf,
                        policy::WallTime ends) const;
  void note(const net::HttpExchange& exchange, const Principal& caller, std::string_view what,
            std::string_view method);

  RequestAuthenticator& authenticator_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
  bool enabled_ = true;
  bool has_oidc_ = false;
  std::chrono::nanoseconds timeout_{0};
};

}  // namespace patchbay::frontends
