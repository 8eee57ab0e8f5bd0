// An Executor is the work of one thread: coroutines to resume, deadlines, functions to run at the
// end of a turn, and messages posted by other threads. net::Loop drives one per worker; tests drive
// one by hand.
//
// Everything is confined to the executor's own thread, except post().
#pragma once

#include <atomic>
#include <coroutine>
#include <functional>
#include <vector>

#include "async/timers.h"

namespace patchbay {

class Executor {
 public:
  // A function to run at the end of the current turn, for example to write in one go what many
  // calls have queued. It must be scheduled again each turn.
  class TurnEnd {
   public:
    virtual void on_turn_end() = 0;

   protected:
    TurnEnd() = default;
    TurnEnd(const TurnEnd&) = delete;
    TurnEnd& operator=(const TurnEnd&) = delete;
    ~TurnEnd();

   private:
    friend class Executor;
    Executor* waiting_in_ = nullptr;
  };

  explicit Executor(Deadline now) : timers_(now), now_(now) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor();

  // The executor of the current thread. REQUIRES: there is one.
  static Executor& here() { return *current_; }

  // Resumes `task` later in this turn. A coroutine is never resumed from inside the code of
  // another.
  void resume_soon(std::coroutine_handle<> task) { ready_.push_back(task); }

  // Resumes `task` in the next turn, after pending outside events.
  void resume_next_turn(std::coroutine_handle<> task) { next_turn_.push_back(task); }

  void at_turn_end(TurnEnd& work);

  Timers& timers() { return timers_; }
  const Timers& timers() const { return timers_; }

  // The time at the start of this turn.
  Deadline now() const { return now_; }

  // Runs `message` on this executor's thread. Callable from any thread; messages of one sender
  // arrive in order.
  void post(std::move_only_function<void()> message);

 protected:
  // Binds this executor to the current thread; a loop does so once, a test around its own steps.
  void enter() { current_ = this; }

  // One turn: runs posted messages, fires deadlines, resumes what is ready, then ends the turn.
  void turn(Deadline now);

  // Like the end of turn(): after outside events have been handled.
  void finish_turn();

  void set_now(Deadline now) { now_ = now; }

  // Wakes the thread to run its posted messages. Called from any thread.
  virtual void wake() = 0;

  // There is work that does not wait for outside events.
  bool has_work() const {
    return inbox_.load(std::memory_order_acquire) != nullptr || !next_turn_.empty();
  }

 private:
  struct PostedMessage {
    std::move_only_function<void()> open;
    PostedMessage* next = nullptr;
  };

  void run_posted();
  void run_ready();

  static thread_local Executor* current_;

  // Used by any thread.
  std::atomic<PostedMessage*> inbox_{nullptr};  // Newest first.

  // Used only on the executor's thread.
  std::vector<std::coroutine_handle<>> ready_;
  std::vector<std::coroutine_handle<>> running_;
  std::vector<std::coroutine_handle<>> next_turn_;
  std::vector<TurnEnd*> turn_ends_;
  std::vector<TurnEnd*> ending_;
  Timers timers_;
  Deadline now_;
};

inline Executor& here() { return Executor::here(); }

}  // namespace patchbay
