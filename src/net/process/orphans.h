// Orphans adopts processes below us whose parents have exited, and reaps them when they end, so
// that a program that starts others leaves no zombie. It ignores every Child. A process that a
// Child with a mark has left behind, in any session, is killed once that Child has ended.
//
// A process that hides the mark (with its own environment, after two generations of parents have
// ended) runs until kill_all().
//
// One per process, on the thread of its loop. before_threads() before the first thread is started.
#pragma once

#include <sys/types.h>

#include <memory>

#include "async/executor.h"
#include "async/liveness.h"
#include "net/io/source.h"

namespace patchbay::net {

class Orphans final : Source::Waiter, Executor::TurnEnd {
 public:
  // Makes this process the parent of orphans, and SIGCHLD a signal to wait for.
  static void before_threads();

  Orphans();
  ~Orphans();

  // Kills everything below us, orphans of orphans too. Does not wait for processes that do not die.
  static void kill_all();

  // The process with that id is never killed.
  static void spare(pid_t pid) { spared_ = pid; }

 private:
  void on_ready() override;
  void on_turn_end() override { look(); }
  void look_soon();
  void look();
  static void kill_left_behind();

  static inline pid_t spared_ = 0;
  Source source_;
  const Liveness liveness_;
};

}  // namespace patchbay::net
