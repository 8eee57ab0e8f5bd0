// Orphans takes in processes whose parents have died below us, and reaps them when they end: a
// program that starts others leaves no zombie behind. It leaves every Child alone. A process that a
// Child with a mark has left behind, wherever it has fled to, is killed once that Child has ended.
//
// A process that hides the mark (an environment of its own, two generations of parents gone) lives
// on until kill_all().
//
// One per process, on the thread of its loop. before_threads() before the first thread is started.
#pragma once

#include <memory>

#include "async/executor.h"
#include "async/liveness.h"
#include "net/io/source.h"

namespace patchbay::net {

class Orphans final : Source::Waiter, Executor::TurnEnd {
 public:
  // Makes us the parent of orphans, and the end of a child something to wait for.
  static void before_threads();

  Orphans();
  ~Orphans();

  // Kills all that is left below us, orphans of orphans too. Waits for none that will not die.
  static void kill_all();

 private:
  void on_ready() override;
  void on_turn_end() override { look(); }
  void look_soon();
  void look();
  static void kill_left_behind();

  Source source_;
  const Liveness liveness_;
};

}  // namespace patchbay::net
