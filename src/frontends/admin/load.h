// The Load is what the metrics reveal about calls, in the form that `patchbay top` shows: calls per
// second and latencies of upstreams, tools and clients over a window of time. It is read from the
// same text that Prometheus gets, at most once a second for all readers.
//
// One per process; usable on any thread.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "async/timers.h"
#include "observe/metrics.h"

namespace patchbay::frontends {

// Counters of one upstream, tool or client, since the start of the process.
struct LoadCounters {
  double calls = 0;
  double errors = 0;
  double restarts = 0;
  double in_flight = 0;  // Now.
  double instances = 0;  // Now: programs or connections of an upstream.
  // The number of calls that took at most that many seconds.
  std::map<double, double> at_most = {};
};

struct LoadSnapshot {
  Deadline when = {};
  std::map<std::string, LoadCounters, std::less<>> upstreams = {};
  std::map<std::string, LoadCounters, std::less<>> tools = {};
  std::map<std::string, LoadCounters, std::less<>> clients = {};
  LoadCounters total = {};
  double sessions = 0;
  double connections = 0;
  double resident_bytes = 0;
};

// Reads the text of /metrics. Pure.
LoadSnapshot read_load(std::string_view metrics);

// What a LoadHistory stores: the current values of the metrics.
LoadSnapshot history_load(const metrics::Registry& registry);

// The time in seconds that the share `quantile` of the calls did not exceed, as exactly as the
// buckets allow; negative if there are no calls.
//
// Pure.
double quantile_of(const std::map<double, double>& at_most, double quantile);

// The difference since `before`; gauges have their current values. Counters that are lower than
// before have begun again.
//
// Pure.
LoadCounters difference(const LoadCounters& now, const LoadCounters& before);

class Load {
 public:
  explicit Load(std::function<std::string()> metrics, Deadline now)
      : metrics_(std::move(metrics)), began_(now) {}

  struct Window {
    std::shared_ptr<const LoadSnapshot> now;
    std::shared_ptr<const LoadSnapshot> before;  // Empty counters at the start of the process.
    double seconds = 0;                          // Between them.
  };

  // The window whose length is closest to `length`, of those that begin at an earlier request or at
  // the start of the process.
  Window window(Deadline now, std::chrono::nanoseconds length);

  static constexpr std::chrono::seconds kMostWindow{60};

 private:
  const std::function<std::string()> metrics_;
  const Deadline began_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<const LoadSnapshot>> snapshots_;  // The oldest first.
};

}  // namespace patchbay::frontends
