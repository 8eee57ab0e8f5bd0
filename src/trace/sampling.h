// The rules of sampling: which calls are exported as spans. The decision at the start of a call is
// passed on to upstreams. At its end, calls that failed or were slow are also exported.
//
// Values; pure.
#pragma once

#include <chrono>
#include <cstdint>

#include "trace/context.h"

namespace patchbay::trace {

struct Sampling {
  bool enabled = false;  // Otherwise no call is exported.
  double ratio = 1;      // For calls without a parent that decides.
  bool follow_parent = true;
  bool failed = true;
  std::chrono::nanoseconds slow{0};  // 0: slow calls are not treated differently.

  // The decision at the start. `parent` is null for a call without one.
  bool samples(const TraceId& trace, const SpanContext* parent) const {
    if (!enabled) return false;
    if (parent && follow_parent) return parent->sampled;
    return is_within(trace, ratio);
  }

  // The decision at the end about a call that was not sampled at the start.
  bool keeps(bool has_failed, std::chrono::nanoseconds took) const {
    return enabled && ((failed && has_failed) || (slow.count() > 0 && took >= slow));
  }

 private:
  // By the last 7 bytes of the trace id, so that all gateways decide the same.
  static bool is_within(const TraceId& trace, double ratio) {
    constexpr double kRange = 72057594037927936.0;  // 2^56
    std::uint64_t random = 0;
    for (std::size_t i = 9; i < trace.size(); ++i) random = random << 8U | trace[i];
    return static_cast<double>(random) < ratio * kRange;
  }
};

}  // namespace patchbay::trace
