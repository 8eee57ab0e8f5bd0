// Timers is one thread's list of deadlines: a hashed wheel, so that setting and dropping a deadline
// is a few instructions and costs no system call. Coarse on purpose: a deadline fires up to one
// step (32 ms) late, never early.
//
// Confined to one thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace patchbay {

using Clock = std::chrono::steady_clock;

// A point in time, not a duration: set once, at the edge, and passed down.
using Deadline = Clock::time_point;
inline constexpr Deadline kNever = Deadline::max();

// One deadline that code waits for. The destructor drops it.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() { drop(); }

  virtual void on_deadline() = 0;

  void drop();
  bool set() const { return position_ != nullptr; }

 private:
  friend class Timers;
  Deadline deadline_{};
  Timer* next_ = nullptr;
  Timer** position_ = nullptr;
};

class Timers {
 public:
  explicit Timers(Deadline now) : done_(step_of(now)) {}

  // Fires `timer` once `deadline` has passed. REQUIRES: not set, deadline != kNever.
  void set(Timer& timer, Deadline deadline);

  // Fires every timer whose deadline is at or before `now`.
  void advance(Deadline now);

  // When to call advance() next; empty when nothing is set.
  std::optional<Deadline> next() const;

 private:
  static constexpr std::int64_t kSlots = 2048;
  static constexpr std::chrono::milliseconds kStep{32};

  static std::int64_t step_of(Deadline time) { return time.time_since_epoch() / kStep; }

  std::array<Timer*, kSlots> slots_{};
  std::array<std::uint64_t, kSlots / 64> maybe_{};  // A set bit: the slot may hold timers.
  std::int64_t done_;                               // Every step up to this one has fired.
};

}  // namespace patchbay
