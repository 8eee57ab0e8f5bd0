// A Principal is who makes a call, as far as the gateway knows. A Caller is a Principal that all
// calls of one and the same share.
//
// Values only, constant once shared; usable from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace patchbay {

struct Principal {
  std::string id = "local";    // The same for all calls of one caller, and for no other caller's.
  std::string name = "local";  // For people, and in rules.
  std::string way = "none";  // How it was recognised: none, token, jwt, basic, certificate, proxy.
  std::vector<std::string> roles = {};
  std::vector<std::string> scopes = {};
  std::string claims = "{}";  // What else is known, as raw JSON.
};

// Null: nobody knows who it is.
using Caller = std::shared_ptr<const Principal>;

// Whoever reaches us in a way that asks nobody: our own stdin, a loopback listener without
// authentication.
inline Caller local_caller() { return std::make_shared<const Principal>(); }

}  // namespace patchbay
