// Rates bound how often calls are made, and how many run at once: per caller, address, tool or
// upstream. A call beyond a bound is refused at once, with the time after which to retry.
//
// The rate of each subject is stored as one point in time (GCRA): until then, its quota is used up.
// A bound that was not used for its window takes no memory.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
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
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, Use> uses;
    Deadline next_sweep{};
  };
  struct Verdict {
    bool admitted = true;
    std::optional<Quota> quota = {};
    std::chrono::nanoseconds wait{0};
  };

  Result<void> apply(bool targeted, const Request& request, Deadline now, Permit& permit,
                     std::optional<Quota>* quota);
  Verdict take(std::size_t row, const std::string& key, Deadline now, Permit& permit);
  Use& use_of(Shard& shard, std::size_t row, const std::string& key, Deadline now) const;

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
};

}  // namespace patchbay::policy
