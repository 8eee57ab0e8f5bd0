// VerifiedCredentials stores, by their digests, which credentials were valid. The lockout of an
// address does not apply to them: failures of others at the same address must not refuse a known
// caller. An entry grants nothing else; the credentials are still verified. Bounded: it has two
// generations, like CallerCache.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "crypto/keyed_digest.h"

namespace patchbay::policy {

class VerifiedCredentials {
 public:
  explicit VerifiedCredentials(std::size_t most) : half_(most / 2) {}

  void add(const Digest& digest) {
    const std::lock_guard lock(mutex_);
    if (young_.contains(digest)) return;
    old_.erase(digest);
    if (young_.size() >= half_) old_ = std::exchange(young_, {});
    young_.insert(digest);
  }

  // The credentials are no longer valid.
  void remove(const Digest& digest) {
    const std::lock_guard lock(mutex_);
    young_.erase(digest);
    old_.erase(digest);
  }

  bool contains(const Digest& digest) const {
    const std::lock_guard lock(mutex_);
    return young_.contains(digest) || old_.contains(digest);
  }

 private:
  using Set = std::unordered_set<Digest, DigestHash>;

  const std::size_t half_;
  mutable std::mutex mutex_;
  Set young_;
  Set old_;
};

}  // namespace patchbay::policy
