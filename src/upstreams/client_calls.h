// The running calls of a per-worker client. Each is cancelled by its own caller or by the end of
// the client, which waits for the last of them.
//
// Confined to the worker of the client.
#pragma once

#include "async/gate.h"
#include "async/stop.h"
#include "core/discard.h"

namespace patchbay::upstreams {

class ClientCalls {
 public:
  // One of them, as long as it runs.
  class Call {
   public:
    // REQUIRES: `calls` outlives it. `caller` may be null.
    Call(ClientCalls& calls, Stop* caller)
        : pass_(calls.running_), by_caller_(caller, stop_), by_client_(&calls.ending_, stop_) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Stop& stop() { return stop_; }

   private:
    const Gate::Pass pass_;
    Stop stop_;
    const StopLink by_caller_;
    const StopLink by_client_;
  };

  // Whether calls are being ended.
  bool ending() const { return ending_.requested(); }

  // Lets calls finish until `deadline`, cancels the others, and waits for them.
  Task<void> end(Deadline deadline) {
    auto finished = co_await running_.wait_empty(deadline);
    ending_.request();
    if (!finished) {
      auto ended = co_await running_.wait_empty();
      discard(ended, "only a cancelled end gives up the wait");
    }
    co_return ok();
  }

 private:
  Stop ending_;
  Gate running_;
};

}  // namespace patchbay::upstreams
