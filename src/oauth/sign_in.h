// A SignIn is one run of the authorization code flow, for one caller at one upstream: what was sent
// to the authorization server, and what must come with the callback. Values only; pure but for the
// randomness.
#pragma once

#include <map>
#include <string>

#include "async/timers.h"
#include "core/principal.h"
#include "oauth/client.h"
#include "oauth/discovery.h"

namespace patchbay::oauth {

struct SignIn {
  std::string id;        // In the URL of our page; unguessable.
  std::string upstream;  // Its name.
  Caller caller;         // The owner of the token.
  Discovered found;
  Client client;
  std::string redirect;
  Scopes scopes;
  Deadline expires;

  // Created when the person continues from our page.
  std::string state = {};
  std::string verifier = {};
  std::string browser = {};  // In a cookie: binds the callback to the browser that started.
};

// Creates the secrets and yields the authorization URL.
std::string begin(SignIn& sign_in);

// The members of the query of the callback, each once.
using Returned = std::map<std::string, std::string>;

// The code to exchange for a token. The error is Code::forbidden with the reason; the issuer is
// checked before anything else in the response (RFC 9207).
Result<std::string> code_of(const SignIn& sign_in, const Returned& returned);

}  // namespace patchbay::oauth
