// A Gate counts things in progress and lets tasks wait until there are none: for example the calls
// of an upstream that is being stopped.
//
// Confined to one thread.
#pragma once

#include <vector>

#include "async/one_shot.h"

namespace patchbay {

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // One thing in progress, for as long as the Pass exists.
  class Pass {
   public:
    // REQUIRES: `gate` outlives it.
    explicit Pass(Gate& gate) : gate_(gate) { ++gate_.count_; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
      if (--gate_.count_ > 0) return;
      for (auto* const waiter : gate_.waiters_) waiter->deliver(ok());
    }

   private:
    Gate& gate_;
  };

  int count() const { return count_; }
  bool empty() const { return count_ == 0; }

  // Waits until nothing is in progress. Code::timeout once `deadline` has passed.
  Task<void> wait_empty(Deadline deadline = kNever) {
    if (count_ == 0) co_return ok();
    OneShot<void> empty;
    waiters_.push_back(&empty);
    auto waited = co_await empty.wait(deadline);
    std::erase(waiters_, &empty);
    co_return waited;
  }

 private:
  int count_ = 0;
  std::vector<OneShot<void>*> waiters_;
};

}  // namespace patchbay
