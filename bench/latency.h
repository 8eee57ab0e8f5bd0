// Latency: durations of calls in fixed buckets. Adding a value is one increment and never
// allocates, so that measuring does not slow down the measured code.
//
// Each load worker has its own; they are merged when the workers have ended. Not thread-safe.

#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace patchbay::bench {

class Latency {
 public:
  void add(std::uint64_t nanoseconds) { ++counts_[bucket_of(nanoseconds)]; }

  void merge(const Latency& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }

  // The value that `share` (0 to 1) of the calls did not exceed, within 1.6 %; 0 when there is
  // none.
  double microseconds_at(double share) const {
    std::uint64_t total = 0;
    for (auto count : counts_) total += count;
    auto wanted = static_cast<std::uint64_t>(static_cast<double>(total) * share);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > wanted || (seen == total && total > 0)) {
        return static_cast<double>(upper_edge(i)) / 1000.0;
      }
    }
    return 0;
  }

 private:
  // 64 buckets to each power of two: the exponent and the six bits after the leading one.
  static constexpr unsigned kFineBits = 6;
  static constexpr std::uint64_t kFine = std::uint64_t{1} << kFineBits;

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < kFine) return value;
    auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kFineBits;
    return (shift + 1) * kFine + ((value >> shift) - kFine);
  }

  static std::uint64_t upper_edge(std::size_t bucket) {
    if (bucket < kFine) return bucket;
    auto shift = bucket / kFine - 1;
    return (bucket % kFine + kFine + 1) << shift;
  }

  std::array<std::uint64_t, (64 - kFineBits + 1) * kFine> counts_{};
};

}  // namespace patchbay::bench
