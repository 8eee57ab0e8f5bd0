// Rates bound how often calls are made, and how many run at once: per caller, address, tool or
// upstream. A call beyond a bound is refused at once, with the time after which to retry.
//
// The rate of each subject is stored as one point in time (GCRA): until then, its quota is used up.
// A bound that was not used for its window takes no memory.
//
// Gateways with a shared store count together (exchange.h): each decides by what it knows, at once,
// and what it has admitted is added to the same points in time in the store. A call is refused only
// if the bound is reached; what others admit is known as soon as they have reported it.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "async/timers.h"
#include "core/principal.h"
#include "core/result.h"
#include "observe/metrics.h"
#include "policy/rates/settings.h"

namespace patchbay::policy {

class Rules;

// The remaining quota of the tightest bound.
struct Quota {
  int limit = 0;  // Calls in a window.
  int remaining = 0;
  std::chrono::nanoseconds reset{0};  // Until the quota is full again.
};

class Rates {
 public:
  // The caller and the target, which is empty until the call is routed.
  struct Request {
    const Principal& caller;
    std::string_view address;  // IPv6 addresses count by their /64.
    std::string_view upstream = {};
    std::string_view tool = {};    // upstream.name
    const Rules* rules = nullptr;  // Maps scopes to roles; null: none.
  };

  // Permission to run one call. Its destructor frees the slots.
  class Permit {
   public:
    Permit() = default;
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit();

   private:
    friend class Rates;
    struct Held {
      std::shared_ptr<std::atomic<int>> running;
    };
    std::vector<Held> held_;
  };

  // `most_keys` is how many callers, addresses and tools are distinguished; all further ones share
  // one. Refusals are counted in `registry`, if that is not null; it outlives this.
  Rates(std::vector<RateSettings> rows, std::size_t most_keys,
        metrics::Registry* registry = nullptr);

  const std::vector<RateSettings>& rows() const { return rows_; }

  // From now on, calls are counted together with those of other gateways. `hurry` is called on any
  // thread when take_unreported() should not wait for its next turn. REQUIRES: nothing was
  // admitted.
  void share(std::function<void()> hurry);

  // What other gateways do not know yet: how much of its quota a subject has used.
  struct Unreported {
    std::size_t row = 0;
    std::string key;                  // Here.
    std::string shared_key = {};      // In the store: a digest.
    std::chrono::microseconds by{0};  // How far it moves the point in time.
  };
  // At most `most`. use_reported() follows for each.
  std::vector<Unreported> take_unreported(std::size_t most);

  // What the store says: how far the point in time is ahead of `now`. An error: nothing is known.
  void use_reported(const Unreported& reported, const Result<std::chrono::microseconds>& ahead,
                    Deadline now);

  // Code::rate_limited if a bound on the caller alone is reached. Sets `quota` to the remaining
  // quota.
  Result<void> admit(const Request& request, Deadline now, Permit& permit,
                     std::optional<Quota>& quota);

  // The same for bounds on the target.
  Result<void> admit_to(const Request& request, Deadline now, Permit& permit);

 private:
  struct Use {
    std::int64_t used_until = 0;  // Clock ticks.
    std::shared_ptr<std::atomic<int>> running = {};
    std::int32_t unreported = 0;  // Calls that other gateways do not know of.
    bool listed = false;          // In Shard::unreported.
    bool reporting = false;       // Taken, and not settled.
  };
  using Uses = std::unordered_map<std::string, Use>;
  struct Shard {
    std::mutex mutex;
    Uses uses;
    Deadline next_sweep{};
    std::vector<std::pair<std::size_t, Uses::value_type*>> unreported = {};  // With their rows.
  };
  struct Verdict {
    bool admitted = true;
    std::optional<Quota> quota = {};
    std::chrono::nanoseconds wait{0};
  };

  Result<void> apply(bool targeted, const Request& request, Deadline now, Permit& permit,
                     std::optional<Quota>* quota);
  Verdict take(std::size_t row, const std::string& key, Deadline now, Permit& permit);
  Uses::value_type& use_of(Shard& shard, std::size_t row, const std::string& key,
                           Deadline now) const;
  Shard& shard_of(const std::string& key) {
    return shards_[std::hash<std::string>()(key) % shards_.size()];
  }
  void note_use(Shard& shard, std::size_t row, Uses::value_type& entry);
  void hurry_if_many(std::size_t row, const Use& use);

  static constexpr std::size_t kShards = 16;

  const std::vector<RateSettings> rows_;
  const std::size_t most_keys_;  // In each shard.
  // By row: calls that came too often, and calls beyond the concurrency bound. Null: not counted.
  struct RowCounters {
    std::shared_ptr<metrics::Counter> rate = {};
    std::shared_ptr<metrics::Counter> running = {};
  };
  std::vector<RowCounters> refused_;
  std::array<Shard, kShards> shards_;
  // Of gateways that count together.
  std::function<void()> hurry_;  // Empty: there are none.
  std::atomic<bool> hurried_ = false;
  std::vector<std::string> tags_;  // By row: what the row is.
};

}  // namespace patchbay::policy
