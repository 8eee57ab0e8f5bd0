// A Histogram counts observed values in fixed buckets, and remembers for each bucket one sampled
// call as an exemplar.
//
// observe() from any thread: two additions in a cell that is normally no other thread's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "observe/cell.h"
#include "observe/metrics_snapshot.h"
#include "trace/context.h"

namespace patchbay::metrics {

inline constexpr std::size_t kMaxBounds = 20;

// The upper bounds of the buckets of a family, ascending; one more bucket counts all larger values.
// The sum is counted in whole units of 1/resolution.
struct Buckets {
  std::span<const double> bounds;  // Of constants. At most kMaxBounds.
  double resolution = 1e9;
};

inline constexpr std::array kLatencyBounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                           0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                           1.0,    2.5,     5.0,    10.0,  30.0};
inline constexpr std::array kCoarseBounds{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0};
inline constexpr std::array kWaitBounds{0.0001, 0.001, 0.01, 0.1, 1.0, 10.0};
inline constexpr std::array kPersonBounds{1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 86400.0};
inline constexpr std::array kSizeBounds{256.0,   1024.0,   4096.0,    16384.0,
                                        65536.0, 262144.0, 1048576.0, 16777216.0};

// From 100 µs to 30 s.
inline constexpr Buckets kLatency{kLatencyBounds};
// From 1 ms to a minute, in fewer series: for labels of many values.
inline constexpr Buckets kCoarse{kCoarseBounds};
// Durations that are short unless something is overloaded.
inline constexpr Buckets kWait{kWaitBounds};
// Waits for a person.
inline constexpr Buckets kPerson{kPersonBounds};
// Bytes.
inline constexpr Buckets kSize{kSizeBounds, 1};

// A call that is exported as a trace, with the data that an exemplar contains.
struct SampledCall {
  trace::TraceId trace{};
  trace::SpanId span{};     // Zeros: it has none of ours.
  double unix_seconds = 0;  // When it ended.
};

class Histogram {
 public:
  explicit Histogram(const Buckets& buckets = kLatency) : buckets_(buckets) {}

  // `sampled` is null for a call that is not exported.
  void observe(double value, const SampledCall* sampled = nullptr);

  // Adds buckets, sum and count.
  void read(Series& into) const;

  // Adds what the other one has counted. REQUIRES: it has the same buckets.
  void add(const Histogram& other);

  // One with the same buckets that has counted nothing.
  std::shared_ptr<Histogram> make_empty() const { return std::make_shared<Histogram>(buckets_); }

 private:
  struct alignas(64) Cell {
    std::array<std::atomic<std::uint64_t>, kMaxBounds + 1> counts{};
    std::atomic<std::uint64_t> sum{0};
  };
  struct Example {
    SampledCall call;
    double value = 0;
    bool set = false;
  };
  struct Examples {
    std::mutex mutex;
    std::array<Example, kMaxBounds + 1> of_bucket;
  };

  void store(std::size_t bucket, double value, const SampledCall& call);

  const Buckets buckets_;
  std::array<Cell, kCells> cells_;
  std::once_flag examples_made_;
  std::unique_ptr<Examples> examples_owned_;
  std::atomic<Examples*> examples_ = nullptr;  // Null until a sampled call is observed.
};

}  // namespace patchbay::metrics
