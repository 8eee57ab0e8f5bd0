// A CallerCache stores verified credentials by their digests, so that a credential is verified once
// and then recognised by one look-up. Bounded: it has two generations; when the young one is full
// the old one is dropped, and an entry that is used becomes young again.
//
// Confined to its worker.
#pragma once

#include <chrono>
#include <unordered_map>
#include <utility>

#include "core/principal.h"
#include "crypto/keyed_digest.h"
#include "policy/auth/key_source.h"

namespace patchbay::policy {

using WallTime = std::chrono::system_clock::time_point;

// A caller with verified credentials.
struct Recognised {
  Caller caller = {};
  WallTime until = WallTime::max();  // Valid before this time.
  // The source and version of the keys that verified it; null: none were used.
  std::shared_ptr<const KeySource> keys = {};
  std::uint64_t changes = 0;

  bool holds() const {
    if (keys && keys->changes() != changes) return false;
    return until == WallTime::max() || std::chrono::system_clock::now() < until;
  }
};

class CallerCache {
 public:
  explicit CallerCache(std::size_t most) : half_(most / 2) {}

  // Null if there is none, or it is no longer valid.
  Caller find(const Digest& digest) {
    const Recognised* const found = find_recognised(digest);
    return found ? found->caller : nullptr;
  }

  // The same, with what its validity depends on; valid until the next call.
  const Recognised* find_recognised(const Digest& digest) {
    auto at = young_.find(digest);
    if (at == young_.end()) {
      const auto before = old_.find(digest);
      if (before == old_.end()) return nullptr;
      Recognised stored = std::move(before->second);
      old_.erase(before);
      at = insert(digest, std::move(stored));
    }
    if (at->second.holds()) return &at->second;
    young_.erase(at);
    return nullptr;
  }

  void add(const Digest& digest, Recognised recognised) { insert(digest, std::move(recognised)); }

  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  using Map = std::unordered_map<Digest, Recognised, DigestHash>;

  Map::iterator insert(const Digest& digest, Recognised recognised) {
    if (young_.size() >= half_) {
      old_ = std::move(young_);
      young_.clear();
    }
    return young_.insert_or_assign(digest, std::move(recognised)).first;
  }

  const std::size_t half_;
  Map young_;
  Map old_;
};

}  // namespace patchbay::policy
