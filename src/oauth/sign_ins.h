// The SignIns are the people who are on their way through an authorization server, each for one
// caller at one upstream: offered by a link, gone with their browser, come back with a code.
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

// What a person is shown before they go.
struct SignInPage {
  std::string upstream;
  std::string caller;  // The name of the one who will use the token.
  std::string issuer;
  Scopes scopes;
  std::string goes_to;  // The origin of the authorization endpoint.
  std::string owner;    // The id of that caller; that of nobody in particular: the gateway itself.
  bool require_credentials = true;  // The person who opens it must prove to be the owner.
};

// How it stands with somebody who signs in, and for whom.
struct SignInState {
  std::string words;  // `waiting`, `done`, or why it came to nothing.
  std::string owner;
};

// Somebody's browser is back.
struct Arrival {
  std::string upstream;
  Returned returned;
  std::string cookies;
  Caller who;        // The caller whom the request shows, or null.
  std::string from;  // Its address.
};

// Where their browser goes, and what it must bring back.
struct AuthorizationRedirect {
  std::string url;
  std::string cookie;  // As Set-Cookie has it.
};

class SignIns {
 public:
  // REQUIRES: `reception` outlives it.
  explicit SignIns(const RedirectEndpoint& redirect_endpoint)
      : redirect_endpoint_(redirect_endpoint) {}

  void set_bounds(std::chrono::nanoseconds time, int most) { time_ = time, most_ = most; }

  // The id under which somebody can sign in so that `source` has the token that is wished for. As
  // long as one waits, the same for the same source. REQUIRES: its supplier is a SignInToken.
  // `asker` is who wants it.
  Task<std::string> offer(std::shared_ptr<TokenSource> source, Wish wish, Caller caller);
  std::string url_of(const std::string& id) const;

  // The following are Code::not_found for an id that is not known, or too old.
  Result<SignInPage> page(const std::string& id);
  Result<AuthorizationRedirect> depart(const std::string& id);
  // Yields when it is over; the error is why it came to nothing.
  Task<void> wait(std::string id, Deadline deadline);
  Result<SignInState> state(const std::string& id);

  // Yields the name of the upstream.
  Task<std::string> come_back(Arrival arrival);

 private:
  struct Pending {
    SignIn sign_in;
    std::shared_ptr<TokenSource> source;
    bool over = false;
    std::string why = {};  // It came to nothing.
    std::vector<OneShot<void>*> waiting = {};
  };

  Pending* find(const std::string& id);
  Result<Pending*> find_returning(const Arrival& arrival);
  std::string cookie_name(const std::string& id) const;
  void end(Pending& pending, const Arrival& arrival, std::string why);
  void sweep();

  const RedirectEndpoint& redirect_endpoint_;
  std::chrono::nanoseconds time_{std::chrono::minutes(10)};
  int most_ = 1'000;
  std::map<std::string, std::shared_ptr<Pending>> pending_;  // By id.
};

}  // namespace patchbay::oauth
