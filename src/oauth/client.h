// A Client is our registration at an authorization server, and how we authenticate to it (RFC 6749,
// 2.3; RFC 7523). A Form is the body of a request to it.
//
// Values only; usable from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "oauth/metadata.h"
#include "oauth/settings.h"
#include "policy/auth/jws_signer.h"

namespace patchbay::oauth {

// application/x-www-form-urlencoded.
class Form {
 public:
  // Empty values are left out.
  Form& add(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Client {
  std::string id = {};
  std::string secret = {};
  ClientAuth auth = ClientAuth::any;
  std::shared_ptr<const policy::JwsSigner> signer = nullptr;  // Null: there is no key.
  std::string key_id = {};
};

// The method of client authentication, given those that the server accepts (empty: the default
// ones).
ClientAuth choose_auth(const Client& client, const std::vector<std::string>& taken);

// Adds the client authentication to the form, and yields its header lines, each with a CRLF.
Result<std::string> prove(const Client& client, const ServerMetadata& server, Form& form);

}  // namespace patchbay::oauth
