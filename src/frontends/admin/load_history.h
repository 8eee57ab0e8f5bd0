// The LoadHistory stores what the load was: calls, errors, latencies and calls in flight, of all
// upstreams together and of each, in steps of 5 seconds for 15 minutes, of a minute for 3 hours and
// of 5 minutes for a day. Consoles draw it. Bounded by the number of upstreams.
//
// One per process; usable on any thread. One worker calls tick().
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/admin/load.h"

namespace patchbay::frontends {

// One step. Times are in milliseconds; negative: no call.
struct LoadPoint {
  float calls = 0;
  float errors = 0;
  float p50 = -1;
  float p95 = -1;
  float p99 = -1;
  float in_flight = 0;
  bool known = false;  // The gateway ran and was not stopped for all of it.
};

class LoadHistory {
 public:
  struct Span {
    std::string_view name;
    std::chrono::seconds interval;
    std::size_t points;
  };
  static constexpr std::array kSpans{
      Span{"15m", std::chrono::seconds(5), 180},
      Span{"3h", std::chrono::seconds(60), 180},
      Span{"24h", std::chrono::seconds(300), 288},
  };
  static constexpr std::chrono::seconds kStep = kSpans[0].interval;

  // `read` yields the counters of now: those of all calls and of upstreams.
  explicit LoadHistory(std::function<LoadSnapshot()> read) : read_(std::move(read)) {}

  // How many upstreams have a history of their own, beside that of all calls together.
  void set_max_upstreams(std::size_t most);

  // Called about once a second.
  void tick(Deadline now);

  struct Found {
    Span span;
    std::chrono::system_clock::time_point end;  // Of the last step.
    std::vector<LoadPoint> points;              // The oldest first; span.points of them.
  };
  // Of all calls, or those of one upstream; none if the range has another name.
  std::optional<Found> find(std::string_view range, std::string_view upstream) const;

 private:
  // The steps of one length: a ring.
  struct Ring {
    std::vector<LoadPoint> points;
    std::size_t next = 0;
    std::optional<LoadCounters> last;  // At the end of the last step.
  };
  using Rings = std::array<Ring, kSpans.size()>;

  static void add(Ring& ring, const LoadCounters& now, std::size_t points, bool gap);
  void begin(Deadline now);
  void add_step(const LoadSnapshot& now, std::uint64_t number, bool gap);
  Rings* rings_of(const std::string& upstream);

  const std::function<LoadSnapshot()> read_;
  mutable std::mutex mutex_;
  Rings total_;
  std::size_t max_upstreams_ = 200;
  bool full_ = false;  // An upstream has no history, and that has been logged.
  std::map<std::string, Rings, std::less<>> upstreams_;
  std::optional<Deadline> due_;  // The end of the current step.
  std::uint64_t steps_ = 0;
  std::array<std::chrono::system_clock::time_point, kSpans.size()> ends_{};
};

}  // namespace patchbay::frontends
