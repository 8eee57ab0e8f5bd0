// Shares bound what one caller, or one address, holds of shared resources: connections, sessions,
// streams, WebSockets, parked calls. One table of counts by resource and holder; an entry exists
// only while something is held, so the table is never larger than the bounded totals.
//
// Usable from any thread. Outlives every Share; shares() is the one of the process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/principal.h"
#include "core/result.h"
#include "core/text_hash.h"

namespace patchbay {

// The shared resources. Same order as kShareInfos in shares.cc.
enum class ShareOf : std::uint8_t { connections, sessions, streams, websockets, parked_calls };
inline constexpr std::size_t kShareKinds = 5;

// The share of all unauthenticated callers on this machine. By default it is not bounded.
inline constexpr std::string_view kLocalShare = "local";

class Shares {
 public:
  // One unit that a holder has; the destructor returns it.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : shares_(std::exchange(other.shares_, nullptr)),
          what_(other.what_),
          whose_(std::move(other.whose_)),
          bounded_(other.bounded_) {}
    Share& operator=(Share&& other) noexcept {
      give_back();
      shares_ = std::exchange(other.shares_, nullptr);
      what_ = other.what_;
      whose_ = std::move(other.whose_);
      bounded_ = other.bounded_;
      return *this;
    }
    ~Share() { give_back(); }

    void give_back();

   private:
    friend class Shares;
    Share(Shares* shares, ShareOf what, std::string whose, bool bounded)
        : shares_(shares), what_(what), whose_(std::move(whose)), bounded_(bounded) {}

    Shares* shares_ = nullptr;
    ShareOf what_ = ShareOf::connections;
    std::string whose_;
    bool bounded_ = true;
  };

  // How much one holder may have, and whether that applies to kLocalShare too. Units that are
  // already held are not revoked.
  void set_most(ShareOf what, std::size_t most, bool local_too = true);

  // Code::rate_limited if `whose` has reached its maximum; the message names the setting.
  Result<Share> take(ShareOf what, std::string_view whose);

  // The number of units that all holders have now.
  std::int64_t open(ShareOf what) const {
    return open_[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
  }

  // The number of units that `whose` holds now.
  std::size_t held(ShareOf what, std::string_view whose) const;

 private:
  struct Shard {
    mutable std::mutex mutex;
    std::array<TextMap<std::size_t>, kShareKinds> held;
  };

  Shard& shard_of(std::string_view whose);
  void give_back(ShareOf what, const std::string& whose);

  static constexpr std::size_t kShards = 16;
  std::array<Shard, kShards> shards_;
  struct Bound {
    std::atomic<std::size_t> most = std::numeric_limits<std::size_t>::max();
    std::atomic<bool> local_too = true;
  };
  std::array<Bound, kShareKinds> bounds_;
  std::array<std::atomic<std::int64_t>, kShareKinds> open_{};
};

// The table of the process, which all workers share.
Shares& shares();

// The holder of a share: an authenticated caller, or else its address.
std::string share_owner(const Principal& caller, std::string address_share);

}  // namespace patchbay
