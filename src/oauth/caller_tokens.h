// The CallerTokens are the tokens that callers authenticated with, for the upstreams that receive
// another token in exchange. Nothing is stored before there is such an upstream; tokens are never
// logged or written to disk, and are sent only to the authorization server that exchanges them.
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

  // From now on tokens are stored.
  void want();
  bool wanted() const { return wants_.load(std::memory_order_relaxed) > 0; }
  // Increases when cached callers should be verified again, so that their tokens are stored.
  int wants() const { return wants_.load(std::memory_order_relaxed); }

  // `caller` has authenticated with this JSON Web Token, which is valid until then.
  void note(const Principal& caller, std::string_view token, WallTime until);

  // The last token that is still valid.
  std::optional<std::string> find(const std::string& key, WallTime now);

  // Distinguishes callers whose tokens are exchanged separately.
  static std::string key_of(const Principal& caller);

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
