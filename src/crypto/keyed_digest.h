// A Digester makes short keyed digests of credentials, so that the credential itself is never
// stored: SHA-256 with a key that lasts as long as the process. Clients cannot predict digests, so
// comparing them reveals nothing.
//
// Usable from any thread; allocates nothing after the first use on a thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/result.h"
#include "crypto/sha256.h"

namespace patchbay::policy {

struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
  }
};

class Digester {
 public:
  static Result<Digester> random();
  explicit Digester(const Digest& key) : key_(key) {}

  // Of both texts; (`a`, `bc`) and (`ab`, `c`) differ.
  Digest of(std::string_view kind, std::string_view text) const;

 private:
  Digest key_;
};

}  // namespace patchbay::policy
