#include "async/timers.h"

#include <algorithm>
#include <bit>

namespace patchbay {

void Timer::drop() {
  if (!position_) return;
  *position_ = next_;
  if (next_) next_->position_ = position_;
  position_ = nullptr;
}

void Timers::set(Timer& timer, Deadline deadline) {
  // Rounded up, so that a deadline never fires early; one that has passed fires at the next step.
  const std::int64_t step = std::max(step_of(deadline) + 1, done_ + 1);
  timer.deadline_ = deadline;
  const auto slot = static_cast<std::size_t>(step % kSlots);
  timer.next_ = slots_[slot];
  if (timer.next_) timer.next_->position_ = &timer.next_;
  timer.position_ = &slots_[slot];
  slots_[slot] = &timer;
  maybe_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void Timers::advance(Deadline now) {
  const std::int64_t target = step_of(now);
  if (target <= done_) return;
  const std::int64_t first = std::max(done_ + 1, target - kSlots + 1);
  done_ = target;

  Timer* due = nullptr;  // Moved aside first: firing one may drop or set others.
  for (std::int64_t step = first; step <= target; ++step) {
    const auto slot = static_cast<std::size_t>(step % kSlots);
    if (!(maybe_[slot / 64] >> (slot % 64) & 1)) continue;
    for (Timer* timer = slots_[slot]; timer;) {
      Timer* const after = timer->next_;
      if (timer->deadline_ <= now) {
        timer->drop();
        timer->next_ = due;
        if (due) due->position_ = &timer->next_;
        timer->position_ = &due;
        due = timer;
      }
      timer = after;
    }
    if (!slots_[slot]) maybe_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }
  while (due) {
    Timer* const timer = due;
    timer->drop();
    timer->on_deadline();
  }
}

std::optional<Deadline> Timers::next() const {
  // Visits each 64-bit group of the wheel once, beginning at the current time. A slot that has only
  // timers of a later round causes an early wake-up, which is cheap.
  const std::int64_t from = done_ + 1;
  for (std::int64_t ahead = 0; ahead < kSlots;) {
    const auto slot = static_cast<std::size_t>((from + ahead) % kSlots);
    const std::uint64_t bits = maybe_[slot / 64] >> (slot % 64);
    if (bits != 0) {
      ahead += std::countr_zero(bits);
      if (ahead >= kSlots) break;
      return Deadline(kStep * (from + ahead));
    }
    ahead += static_cast<std::int64_t>(64 - slot % 64);
  }
  return std::nullopt;
}

}  // namespace patchbay
