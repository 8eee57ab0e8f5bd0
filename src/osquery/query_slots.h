// The QuerySlots bound how many queries run. A query waits in line for a free slot; when too many
// wait, the next one is refused.
//
// Confined to one worker.
#pragma once

#include <deque>
#include <utility>

#include "async/one_shot.h"

namespace patchbay::osquery {

class QuerySlots {
 public:
  QuerySlots(int slots, int waiting) : free_(slots), waiting_most_(waiting) {}

  // Holds a slot. REQUIRES: the slots outlive it.
  class Slot {
   public:
    Slot() = default;
    explicit Slot(QuerySlots& slots) : slots_(&slots) {}
    Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(slots_, other.slots_);
      return *this;
    }
    ~Slot() {
      if (slots_) slots_->leave();
    }

   private:
    QuerySlots* slots_ = nullptr;
  };

  // Code::overloaded if too many wait, or none has become free in time.
  Task<Slot> enter(Deadline deadline) {
    if (free_ > 0) {
      --free_;
      co_return Slot(*this);
    }
    const Error overloaded{Code::overloaded, "too many queries are waiting"};
    if (static_cast<int>(waiting_.size()) >= waiting_most_) co_return overloaded;
    OneShot<void> turn;
    waiting_.push_back(&turn);
    auto waited = co_await turn.wait(deadline);
    if (waited) co_return Slot(*this);
    // It may have received a slot at the moment at which it timed out.
    if (std::erase(waiting_, &turn) == 0) leave();
    co_return waited.error().code == Code::timeout ? overloaded : waited.error();
  }

 private:
  void leave() {
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    OneShot<void>* const next = waiting_.front();
    waiting_.pop_front();
    next->deliver(ok());
  }

  int free_;
  const int waiting_most_;
  std::deque<OneShot<void>*> waiting_;
};

}  // namespace patchbay::osquery
