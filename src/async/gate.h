// A Gate counts what is in progress and lets one task wait until nothing is: the calls of an
// upstream that is being stopped, for example.
//
// Confined to one thread.
#pragma once

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
      if (--gate_.count_ == 0 && gate_.empty_) gate_.empty_->deliver(ok());
    }

   private:
    Gate& gate_;
  };

  int count() const { return count_; }
  bool empty() const { return count_ == 0; }

  // Waits until nothing is in progress. Code::timeout once `deadline` has passed. REQUIRES: nothing
  // else waits.
  Task<void> wait_empty(Deadline deadline = kNever) {
    if (count_ == 0) co_return ok();
    OneShot<void> empty;
    empty_ = &empty;
    auto waited = co_await empty.wait(deadline);
    empty_ = nullptr;
    co_return waited;
  }

 private:
  int count_ = 0;
  OneShot<void>* empty_ = nullptr;
};

}  // namespace patchbay
