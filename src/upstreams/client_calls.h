// The calls of a lane that are under way: each hears the lane's end beside its own caller, and the
// end waits for the last of them.
//
// Confined to the lane's worker.
#pragma once

#include "async/one_shot.h"
#include "async/stop.h"

namespace patchbay::upstreams {

class ClientCalls {
 public:
  // One of them, for as long as it is under way.
  class Call {
   public:
    // REQUIRES: `calls` outlives it. `caller` may be null.
    Call(ClientCalls& calls, Stop* caller)
        : calls_(calls), by_caller_(caller, stop_), by_client_(&calls.ending_, stop_) {
      ++calls_.running_;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      if (--calls_.running_ == 0 && calls_.idle_) calls_.idle_->deliver(ok());
    }

    Stop& stop() { return stop_; }

   private:
    ClientCalls& calls_;
    Stop stop_;
    const StopLink by_caller_;
    const StopLink by_client_;
  };

  // Whether calls are being ended.
  bool ending() const { return ending_.requested(); }

  // Lets calls finish until `deadline`, asks those to stop that have not, and waits for them.
  Task<void> end(Deadline deadline) {
    for (const Deadline until : {deadline, kNever}) {
      if (running_ == 0) break;
      OneShot<void> idle;
      idle_ = &idle;
      auto waited = co_await idle.wait(until);
      idle_ = nullptr;
      if (!waited) ending_.request();
    }
    ending_.request();
    co_return ok();
  }

 private:
  Stop ending_;
  int running_ = 0;
  OneShot<void>* idle_ = nullptr;  // Who waits for the last call to end.
};

}  // namespace patchbay::upstreams
