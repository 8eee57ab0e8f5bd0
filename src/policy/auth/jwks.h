// The keys of an issuer (JWK Set, RFC 7517), for verifying signatures. Each key is bound to one
// algorithm when it is read, so that no token can have it used with another. Symmetric keys,
// encryption keys, and keys that are too weak or too large are skipped.
//
// Constant once read; usable from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

struct evp_pkey_st;

namespace patchbay::policy {

// Maximum bytes of the name of a key (kid).
inline constexpr std::size_t kMostKeyId = 256;

struct JwsAlgorithm;

// Null if the algorithm is unknown or uses no private key (none, HS256).
const JwsAlgorithm* find_algorithm(std::string_view name);
std::string_view name_of(const JwsAlgorithm& algorithm);

class JwsKey {
 public:
  // Of one JWK. The error states why it cannot be used.
  static Result<JwsKey> read(std::string_view jwk);

  const std::string& kid() const { return kid_; }
  const JwsAlgorithm& algorithm() const { return *algorithm_; }
  bool verify(std::string_view text, std::string_view signature) const;

 private:
  std::string kid_;
  const JwsAlgorithm* algorithm_ = nullptr;
  std::shared_ptr<evp_pkey_st> key_;
};

class KeySet {
 public:
  static Result<KeySet> parse(std::string_view text, std::size_t most);

  // The key that a token names. Without a name: the only key for that algorithm, if there is
  // exactly one.
  const JwsKey* find(std::string_view kid, const JwsAlgorithm& algorithm) const;
  std::size_t size() const { return keys_.size(); }

  std::uint64_t version = 0;  // Set by the code that fetched it.

 private:
  std::vector<JwsKey> keys_;
};

}  // namespace patchbay::policy
