// A Digester makes short, equal-length marks of credentials, so that what is remembered is never
// the credential itself: SHA-256 behind a key that is gone when the process is. Nobody outside can
// foresee a mark, so comparing them gives nothing away.
//
// Usable from any thread; no memory is taken after the first use on a thread.
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
