// The CallerTokens are what callers have shown us to be let in, for the upstreams that get
// something else in exchange for it. Nothing is kept before there is such an upstream; it is never
// logged, never written anywhere, and shown to nobody but the authorization server that makes the
// exchange.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/principal.h"

namespace patchbay::oauth {

class CallerTokens {
 public:
  using WallTime = std::chrono::system_clock::time_point;

  // From now on they are kept.
  void want();
  bool wanted() const { return wants_.load(std::memory_order_relaxed) > 0; }
  // Grows when what was seen before should be seen again.
  int wants() const { return wants_.load(std::memory_order_relaxed); }

  // `who` has been let in with this JSON Web Token, which is good until then.
  void note(const Principal& who, std::string_view token, WallTime until);

  // The last one that is still good.
  std::optional<std::string> find(const std::string& key, WallTime now);

  // What tells apart callers for whom different things are given in exchange.
  static std::string key_of(const Principal& who);

 private:
  static constexpr std::size_t kMost = 100'000;

  struct Stored {
    std::string token;
    WallTime until;
  };

  std::atomic<int> wants_ = 0;
  std::mutex mutex_;
  std::map<std::string, Stored> stored_;
};

}  // namespace patchbay::oauth
