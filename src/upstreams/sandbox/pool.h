// The SandboxPool starts sandboxes before they are requested, since making one takes longer than
// handing one over. A bounded number is started at once; each is checked before it is handed over.
//
// Confined to one worker.
#pragma once

#include <deque>
#include <list>
#include <memory>

#include "async/scope.h"
#include "observe/metrics.h"
#include "upstreams/sandbox/engine.h"

namespace patchbay::upstreams {

struct SandboxCounters {
  SandboxCounters(metrics::Registry& registry, const std::string& upstream);

  const std::shared_ptr<metrics::Gauge> ready;     // Waiting in the pool.
  const std::shared_ptr<metrics::Gauge> used;      // In use.
  const std::shared_ptr<metrics::Counter> warm;    // Handed over from the pool.
  const std::shared_ptr<metrics::Counter> cold;    // Made on request.
  const std::shared_ptr<metrics::Counter> failed;  // Could not be made.
  const std::shared_ptr<metrics::Counter> destroyed;
  const std::shared_ptr<metrics::Histogram> start_time;

  // Programs that were run, by how they ended.
  metrics::Counter& runs(std::string_view verdict) const;

 private:
  metrics::Registry& registry_;
  const std::string upstream_;
};

class SandboxPool {
 public:
  // A sandbox, and whether it was ready.
  struct Taken {
    std::shared_ptr<Guest> guest;
    bool warm = false;
  };

  // REQUIRES: what is referred to outlives the pool.
  SandboxPool(Engine& engine, const SandboxSettings& settings, const SandboxCounters& counters)
      : engine_(engine), settings_(settings), counters_(counters) {}

  // Starts to fill the pool and keeps it full.
  void start();

  // A sandbox with the limits of `limits`; those in the pool have the limits of the settings.
  Task<Taken> take(const SandboxLimits& limits, bool as_configured, Deadline deadline);

  // Ends a sandbox in the background.
  void discard(std::shared_ptr<Guest> guest);

  // Ends all sandboxes in the pool, and waits for those being started or ended.
  Task<void> stop();

 private:
  Task<std::shared_ptr<Guest>> make(const SandboxLimits& limits, Deadline deadline);
  Task<void> make_greeted(const SandboxLimits& limits, Deadline deadline,
                          std::shared_ptr<Guest>& made);
  Task<void> keep_full();
  Task<void> add_one();
  Task<void> end_one(std::shared_ptr<Guest> guest);
  Task<void> await_turn(Deadline deadline);
  void pass_turn();

  Engine& engine_;
  const SandboxSettings& settings_;
  const SandboxCounters& counters_;

  std::deque<std::shared_ptr<Guest>> ready_;
  int filling_ = 0;                     // Being made for the pool.
  int starting_ = 0;                    // Being made, for the pool or a request.
  std::list<OneShot<void>*> waiting_;   // For their turn to be made.
  std::chrono::milliseconds pause_{0};  // After a failure.
  OneShot<void> changed_;
  bool stopping_ = false;
  Scope filler_;  // The task that fills the pool, and those that it starts.
  Scope ending_;
};

}  // namespace patchbay::upstreams
