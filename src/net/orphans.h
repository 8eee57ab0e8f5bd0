// Orphans takes in processes whose parents have died below us, and reaps them when they end: a
// program that starts others leaves no zombie behind. It leaves every Child alone.
//
// One per process, on the thread of its loop. before_threads() before the first thread is started.
#pragma once

#include "core/executor.h"
#include "net/source.h"

namespace patchbay::net {

class Orphans final : Source::Waiter, Executor::TurnEnd {
 public:
  // Makes us the parent of orphans, and the end of a child something to wait for.
  static void before_threads();

  Orphans();
  ~Orphans() { source_.forget(*this); }

  // Kills all that is left below us, orphans of orphans too. Waits for none that will not die.
  static void kill_all();

 private:
  void on_ready() override;
  void on_turn_end() override { reap(); }
  void reap();

  Source source_;
};

}  // namespace patchbay::net
