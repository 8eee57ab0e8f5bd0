// A Scope owns running tasks. Nothing in the gateway runs detached: the code that starts a task
// holds the Scope that can wait for it or cancel it.
//
// Confined to one thread.
#pragma once

#include "async/one_shot.h"

namespace patchbay {

class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();  // REQUIRES: empty().

  // Starts `task` at once; it runs until it first waits. It reports its failures itself.
  void spawn(Task<void> task);

  // Requests every task to stop. They unwind; drain() waits for them.
  void cancel() { stop_.request(); }

  // Waits until every task is done, or yields Code::timeout. Several tasks may wait.
  Task<void> drain(Deadline deadline);

  // Waits until every task is done. Past the deadline, cancels the others and waits for them.
  Task<void> finish(Deadline deadline);

  bool empty() const { return running_ == 0; }
  std::size_t size() const { return running_; }

 private:
  // A task in drain(). They form a list, so that waiting allocates nothing.
  struct Drainer {
    Drainer* next = nullptr;
    OneShot<void> done = {};
  };

  static detail::Root run(Stop& stop, Scope& scope, Task<void> task);
  void forget(const Drainer& drainer);

  Stop stop_;
  std::size_t running_ = 0;
  Drainer* drainers_ = nullptr;
};

}  // namespace patchbay
