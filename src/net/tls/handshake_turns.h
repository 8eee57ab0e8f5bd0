// HandshakeTurns lets one step of a TLS handshake run in each turn of a loop; the others wait in
// line. A step costs a signature or a key exchange, as much as hundreds of requests on established
// connections. With one step per turn, a flood of handshakes delays those by one step at most.
//
// One per thread; confined to it.
#pragma once

#include <list>

#include "async/one_shot.h"

namespace patchbay::net {

class HandshakeTurns final : Executor::TurnEnd {
 public:
  class [[nodiscard]] Turn;

  // Those of the loop of this thread.
  static HandshakeTurns& here();

  // Waits for permission to run one step. Code::timeout if there is none before `deadline`.
  Turn next(Deadline deadline);

 private:
  void take();
  void on_turn_end() override;

  bool taken_ = false;  // The step of this turn is used, or reserved for the first in line.
  std::list<Turn*> waiting_;
};

class [[nodiscard]] HandshakeTurns::Turn final : Stop::Hook, Timer {
 public:
  Turn(HandshakeTurns& turns, Deadline deadline) : turns_(turns), deadline_(deadline) {}

  bool await_ready() const noexcept { return !turns_.taken_; }

  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    if (Stop* const stop = self.promise().stop) {
      if (stop->requested()) {
        result_ = Error{Code::cancelled, "cancelled"};
        return false;
      }
      link(*stop);
    }
    if (deadline_ != kNever) patchbay::here().timers().set(*this, deadline_);
    task_ = self;
    position_ = turns_.waiting_.insert(turns_.waiting_.end(), this);
    return true;
  }

  Result<void> await_resume() {
    if (result_) turns_.take();
    return std::move(result_);
  }

 private:
  friend class HandshakeTurns;

  void on_stop() override { give_up({Code::cancelled, "cancelled"}); }
  void on_deadline() override { give_up({Code::timeout, "too many TLS handshakes are waiting"}); }

  void give_up(Error why) {
    leave();
    result_ = std::move(why);
    patchbay::here().resume_soon(task_);
  }

  void leave() {
    unlink();
    drop();
    turns_.waiting_.erase(position_);
  }

  HandshakeTurns& turns_;
  const Deadline deadline_;
  std::coroutine_handle<> task_;
  std::list<Turn*>::iterator position_;
  Result<void> result_ = ok();
};

inline HandshakeTurns::Turn HandshakeTurns::next(Deadline deadline) {
  return Turn(*this, deadline);
}

}  // namespace patchbay::net
