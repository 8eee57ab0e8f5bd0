// Users and the hashes of their passwords, as htpasswd writes them: one `user:hash` per line.
// Accepted hashes of crypt(3): bcrypt, sha256-crypt, sha512-crypt, yescrypt.
//
// Constant once read. Checking a password takes tens of milliseconds, on purpose: never on a
// worker.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::policy {

class Htpasswd {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  // The error names the line.
  static Result<Htpasswd> parse(std::string_view text);

  // Takes as long for an unknown user.
  bool fits(const std::string& user, const std::string& password) const;

  std::size_t size() const { return users_.size(); }

 private:
  std::map<std::string, std::string, std::less<>> users_;
  std::string decoy_;  // A hash that no password matches.
};

}  // namespace patchbay::policy
