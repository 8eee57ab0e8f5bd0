// A Pause is a wait for a point in time that other code can end early. An end() while nothing waits
// ends the next wait.
//
// Confined to one thread; one task waits.
#pragma once

#include "async/one_shot.h"

namespace patchbay::telemetry {

class Pause {
 public:
  // Yields Code::cancelled if the task is stopped.
  Task<void> until(Deadline time) {
    auto ended = co_await ended_.wait(time);
    ended_.reset();
    if (!ended && ended.error().code == Code::timeout) co_return ok();
    co_return ended;
  }

  void end() { ended_.deliver(ok()); }

 private:
  OneShot<void> ended_;
};

}  // namespace patchbay::telemetry
