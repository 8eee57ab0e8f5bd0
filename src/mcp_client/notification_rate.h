// A NotificationRate bounds how many notifications an upstream may send per second. What is above
// is dropped and counted, and the log says so once per period: a server that floods costs little
// more than the reading, and its answers still come through.
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
    drop_and_log,  // The first one in a while: worth a line.
  };

  Verdict evaluate(Deadline now);

  // Those dropped since the last line in the log.
  std::uint64_t take_dropped();

 private:
  static constexpr auto kSecond = std::chrono::seconds(1);
  static constexpr auto kLogInterval = std::chrono::seconds(10);

  const int most_;
  int passed_ = 0;     // In this second.
  Deadline second_{};  // When it began.
  Deadline logged_{};  // When the log was last told.
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
