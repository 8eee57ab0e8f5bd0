// The two things a task can wait for: a value that other code delivers (OneShot), and a point in
// time (sleep_until). Both end early when the task's Stop is requested or the deadline passes.
//
// Confined to one thread: the waiting task and the deliverer share it. Across threads, see hop.h.
#pragma once

#include <optional>
#include <utility>

#include "async/executor.h"
#include "async/task.h"

namespace patchbay {

// One task waits; other code delivers, once. A value delivered before the wait is stored for it;
// one that arrives after the wait has ended is dropped.
template <class T>
class OneShot {
 public:
  OneShot() = default;
  OneShot(const OneShot&) = delete;
  OneShot& operator=(const OneShot&) = delete;

  void deliver(Result<T> value) {
    if (result_) return;
    result_.emplace(std::move(value));
    if (waiter_) here().resume_soon(std::exchange(waiter_, nullptr));
  }

  bool delivered() const { return result_.has_value(); }

  // Drops a delivered value, so that it can be awaited again. REQUIRES: nothing waits.
  void reset() { result_.reset(); }

  class [[nodiscard]] Wait final : Stop::Hook, Timer {
   public:
    Wait(OneShot& slot, Deadline deadline) : slot_(slot), deadline_(deadline) {}

    // Continues to wait when the task is stopped, for values that must always be awaited.
    Wait& ignore_stop() {
      observes_stop_ = false;
      return *this;
    }

    bool await_ready() const noexcept { return slot_.delivered(); }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> self) {
      if (Stop* const stop = observes_stop_ ? self.promise().stop : nullptr) {
        if (stop->requested()) {
          slot_.deliver(Error{Code::cancelled, "cancelled"});
          return false;
        }
        link(*stop);
      }
      if (deadline_ != kNever) here().timers().set(*this, deadline_);
      slot_.waiter_ = self;
      return true;
    }

    Result<T> await_resume() {
      unlink();
      drop();
      slot_.waiter_ = nullptr;
      return std::move(*slot_.result_);
    }

   private:
    void on_stop() override { slot_.deliver(Error{Code::cancelled, "cancelled"}); }
    void on_deadline() override { slot_.deliver(Error{Code::timeout, "the deadline passed"}); }

    OneShot& slot_;
    const Deadline deadline_;
    bool observes_stop_ = true;
  };

  // REQUIRES: nothing else waits.
  Wait wait(Deadline deadline = kNever) { return Wait(*this, deadline); }

 private:
  std::coroutine_handle<> waiter_;
  std::optional<Result<T>> result_;
};

// Lets everything else that is ready run first.
struct next_turn {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) const { here().resume_next_turn(self); }
  void await_resume() const noexcept {}
};

// Yields Code::cancelled if the task was stopped before `time`.
inline Task<void> sleep_until(Deadline time) {
  OneShot<void> never;
  auto woken = co_await never.wait(time);
  if (!woken && woken.error().code == Code::timeout) co_return ok();
  co_return woken;
}

}  // namespace patchbay
