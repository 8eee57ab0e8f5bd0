// The SignIns are the pending runs of the authorization code flow, each for one caller at one
// upstream: offered by a link, redirected to the authorization server, finished by the callback.
//
// Confined to the control thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oauth/sign_in.h"
#include "oauth/sign_in_token.h"
#include "oauth/token_source.h"

namespace patchbay::oauth {

// What our page shows before the redirect.
struct SignInPage {
  std::string upstream;
  std::string caller;  // The name of the caller that will use the token.
  std::string issuer;
  Scopes scopes;
  std::string goes_to;              // The origin of the authorization endpoint.
  std::string owner;                // The id of that caller; the default id is the gateway itself.
  bool require_credentials = true;  // The person that opens it must authenticate as the owner.
};

// The state of a sign-in, and its owner.
struct SignInState {
  std::string text;  // `waiting`, `done`, or why it failed.
  std::string owner;
};

// The redirect of a browser back to us.
struct CallbackRequest {
  std::string upstream;
  Returned returned;
  std::string cookies;
  Caller caller;     // The authenticated caller of the request, or null.
  std::string from;  // Its address.
};

// The authorization URL, and the cookie that the callback must have.
struct AuthorizationRedirect {
  std::string url;
  std::string cookie;  // As in Set-Cookie.
};

class SignIns {
 public:
  // REQUIRES: `redirect_endpoint` outlives it.
  explicit SignIns(const RedirectEndpoint& redirect_endpoint)
      : redirect_endpoint_(redirect_endpoint) {}

  void set_bounds(const SignInSettings& settings);

  // The id of a sign-in that gets `source` its token. A pending sign-in of the same source is
  // reused. REQUIRES: its supplier is a SignInToken. `caller` is the caller that requests it.
  Task<std::string> offer(std::shared_ptr<TokenSource> source, TokenRequirements requirements,
                          Caller caller);
  std::string url_of(const std::string& id) const;

  // The following are Code::not_found for an id that is unknown or expired.
  Result<SignInPage> page(const std::string& id);
  Result<AuthorizationRedirect> authorization_redirect(const std::string& id);
  // Yields when it is over; the error is why it failed.
  Task<void> wait(std::string id, Deadline deadline);
  Result<SignInState> state(const std::string& id);

  // Yields the name of the upstream.
  Task<std::string> handle_callback(CallbackRequest arrival);

 private:
  struct Pending {
    SignIn sign_in;
    std::shared_ptr<TokenSource> source;
    bool over = false;
    std::string why = {};  // The reason of a failure.
    std::vector<OneShot<void>*> waiting = {};
  };

  // Room for one more; for one of this caller's.
  Result<void> make_room();
  Result<void> check_share(const Principal& caller) const;
  Pending* find(const std::string& id);
  Result<Pending*> find_returning(const CallbackRequest& arrival);
  std::string cookie_name(const std::string& id) const;
  void end(Pending& pending, const CallbackRequest& arrival, std::string why);
  void sweep();

  const RedirectEndpoint& redirect_endpoint_;
  std::chrono::nanoseconds time_{std::chrono::minutes(10)};
  std::size_t most_ = 1'000;
  int most_of_caller_ = 250;
  std::map<std::string, std::shared_ptr<Pending>> pending_;  // By id.
};

}  // namespace patchbay::oauth
