// A NotificationRate bounds how many notifications an upstream may send per second. Further ones
// are dropped (of progress, the newest is sent later) and counted, and logged once per period. A
// flooding server then costs little more than the reading, and its answers still arrive.
//
// Confined to one worker.
#pragma once

#include <cstdint>

#include "async/timers.h"

namespace patchbay::upstreams {

class NotificationRate {
 public:
  // At most `most` per second. 0: no bound.
  explicit NotificationRate(int most) : most_(most) {}

  enum class Verdict : std::uint8_t {
    pass,
    drop,
    drop_and_log,  // The first one in a while, so it is logged.
  };

  Verdict evaluate(Deadline now);

  // When more may be sent.
  Deadline next_second() const { return second_ + kSecond; }

  // The number dropped since the last log line.
  std::uint64_t take_dropped();

 private:
  static constexpr auto kSecond = std::chrono::seconds(1);
  static constexpr auto kLogInterval = std::chrono::seconds(10);

  const int most_;
  int passed_ = 0;     // In this second.
  Deadline second_{};  // When the current second began.
  Deadline logged_{};  // The time of the last log line.
  bool has_logged_ = false;
  std::uint64_t dropped_ = 0;
};

inline NotificationRate::Verdict NotificationRate::evaluate(Deadline now) {
  if (most_ == 0) return Verdict::pass;
  if (now - second_ >= kSecond) {
    second_ = now;
    passed_ = 0;
  }
  if (passed_ < most_) {
    ++passed_;
    return Verdict::pass;
  }
  ++dropped_;
  if (has_logged_ && now - logged_ < kLogInterval) return Verdict::drop;
  has_logged_ = true;
  logged_ = now;
  return Verdict::drop_and_log;
}

inline std::uint64_t NotificationRate::take_dropped() {
  const std::uint64_t count = dropped_;
  dropped_ = 0;
  return count;
}

}  // namespace patchbay::upstreams
