// A SignIn is a person on the way through an authorization server, for one principal at one
// upstream: what was sent along, and what must come back. Values only; pure but for the randomness.
#pragma once

#include <map>
#include <string>

#include "async/timers.h"
#include "core/principal.h"
#include "oauth/client.h"
#include "oauth/discovery.h"

namespace patchbay::oauth {

struct SignIn {
  std::string id;        // In the URL of our page; nobody can guess it.
  std::string upstream;  // Its name.
  Caller who;            // For whom the token will be.
  Discovered found;
  Client client;
  std::string redirect;
  Scopes scopes;
  Deadline expires;

  // Made when the person goes on from our page.
  std::string state = {};
  std::string verifier = {};
  std::string browser = {};  // In a cookie: the browser that went is the one that must come back.
};

// Makes what is secret about it, and yields where the browser goes.
std::string begin(SignIn& sign_in);

// What came back: the members of the query, each once.
using Returned = std::map<std::string, std::string>;

// The code to be exchanged for a token. The error is Code::forbidden and says what is wrong; that
// the answer is of another issuer is found out before anything in it is looked at (RFC 9207).
Result<std::string> code_of(const SignIn& sign_in, const Returned& returned);

}  // namespace patchbay::oauth
