// A KeySource has the keys of one issuer and renews them. FetchSchedule decides when it may fetch;
// an implementation elsewhere does the fetching.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "async/task.h"
#include "async/timers.h"
#include "policy/auth/jwks.h"
#include "policy/auth/settings.h"

namespace patchbay::policy {

// Usable from any thread.
class KeySource {
 public:
  virtual ~KeySource() = default;

  // The keys, if there are any that may still be used.
  virtual std::shared_ptr<const KeySet> keys() const = 0;

  // Incremented whenever the keys change, which invalidates earlier verifications.
  virtual std::uint64_t changes() const = 0;

  // Fetches the keys for a token whose key is unknown, if a fetch is allowed now, and waits for it.
  // Yields the keys after that.
  virtual Task<std::shared_ptr<const KeySet>> look_again() = 0;

  // Fetches the keys in the background if it is time to.
  virtual void keep_fresh() = 0;
};

// When keys may be fetched, and how long they may be used. Confined to its user.
class FetchSchedule {
 public:
  explicit FetchSchedule(const JwtSettings& settings) : settings_(settings) {}

  // It is time to fetch: there are no keys or they are old, and the last attempt did not just fail.
  bool due(Deadline now) const {
    if (now < not_before_) return false;
    return !fetched_ || now >= *fetched_ + settings_.refresh;
  }

  // The same for a token that names an unknown key. Records the attempt.
  bool may_look_again(Deadline now) {
    if (now < not_before_ || (looked_ && now < *looked_ + settings_.refetch)) return false;
    looked_ = now;
    return true;
  }

  void succeeded(Deadline now) {
    fetched_ = now;
    not_before_ = now;
    failures_ = 0;
  }

  // The next attempt comes after a second, then two, four …, at most after `refetch`.
  void failed(Deadline now) {
    const auto pause = std::chrono::seconds(1) * (1 << std::min(failures_++, 12));
    not_before_ = now + std::min<Deadline::duration>(pause, settings_.refetch);
  }

  bool usable(Deadline now) const { return fetched_ && now < *fetched_ + settings_.max_stale; }

 private:
  const JwtSettings settings_;
  std::optional<Deadline> fetched_;
  std::optional<Deadline> looked_;
  Deadline not_before_{};
  int failures_ = 0;
};

}  // namespace patchbay::policy
