// A JwsSigner signs with a private key of the gateway (RFC 7515), for servers that require a
// signature instead of a secret.
//
// Constant once read; usable from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

struct evp_pkey_st;

namespace patchbay::policy {

class JwsSigner {
 public:
  // `pem` holds the key. `algorithm` may be empty: RS256, ES256, ES384, ES512 or EdDSA, by the type
  // of the key. The error states why the key cannot be used.
  static Result<JwsSigner> read(std::string_view pem, std::string_view algorithm = {});

  std::string_view algorithm() const { return algorithm_; }

  // A token with these claims in the compact form. `kid` may be empty.
  Result<std::string> sign(std::string_view claims, std::string_view kid) const;

 private:
  JwsSigner() = default;
  Result<std::string> signature(const std::string& text) const;

  std::string_view algorithm_;
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace patchbay::policy
