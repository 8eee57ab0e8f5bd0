// Tokens as the gateway creates them, and their salted hashes (scrypt): a stolen file of hashes is
// useless.
//
// Our tokens are `pb_<id>_<secret>`. The id is public: it finds the hash, so that one hash is
// computed per presented token, however many tokens there are. A hash is written
// `[id]$scrypt$ln=14,r=8,p=1$<salt>$<key>`, without an id for tokens that were created elsewhere.
//
// Checking one takes tens of milliseconds, on purpose: never on a worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::policy {

struct NewToken {
  std::string id;
  std::string token;
};

// With 256 bits of randomness.
NewToken make_token();

// The id in one of our tokens; empty if the token is not ours.
std::string_view token_id(std::string_view token);

class TokenHash {
 public:
  // Of a token, with a new salt.
  static Result<TokenHash> of(std::string_view token);
  // Refuses parameters that take much more memory or time than ours.
  static Result<TokenHash> parse(std::string_view text);

  const std::string& id() const { return id_; }
  std::string text() const;
  bool fits(std::string_view token) const;

 private:
  std::optional<std::string> key_of(std::string_view token) const;

  std::string id_;
  int log_n_ = 14;
  int r_ = 8;
  int p_ = 1;
  std::string salt_;
  std::string key_;
};

}  // namespace patchbay::policy
