// Tokens as we make them, and their salted hashes (scrypt), in which a stolen file is of no use.
//
// A token of ours is `pb_<id>_<secret>`. The id is no secret: it finds the hash, so that one
// hash is computed for a token that is presented, however many there are. A hash is written
// `[id]$scrypt$ln=14,r=8,p=1$<salt>$<key>`, without an id for tokens that were made elsewhere.
//
// Checking one takes tens of milliseconds, on purpose: not for workers.
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

// The id in a token of ours; empty if it is none.
std::string_view token_id(std::string_view token);

class TokenHash {
 public:
  // Of a token, with a salt of its own.
  static Result<TokenHash> of(std::string_view token);
  // Refuses what takes much more memory or time than our own.
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
