// A SingleSession is what a gateway serves instead of its listeners: one client on stdin, a person
// at a terminal, or a bus. The commands implement it.
//
// Lives on the control thread.
#pragma once

#include <functional>

#include "app/settings.h"
#include "app/worker.h"
#include "async/hop.h"
#include "async/one_shot.h"
#include "core/discard.h"

namespace patchbay::app {

class SingleSession {
 public:
  struct Context {
    net::Loop& control;
    Worker& worker;  // Where its calls are made.
    const Settings& settings;
    const frontends::OperationsView& operations;
    OneShot<void>& synced;  // Delivered once the first list of tools is complete.
  };

  virtual ~SingleSession() = default;

  // Serves until the session ends. An error is printed, and the process fails.
  virtual Task<void> run(Context context) = 0;

  // How long its first tool list waits for upstreams that are still starting.
  virtual std::chrono::nanoseconds list_timeout(const Settings& settings) const {
    return settings.limits.start;
  }

  // Requests it to end, for example after a signal. May be called before run() can end anything.
  void end() {
    ended_ = true;
    if (end_) end_();
  }

 protected:
  // Ends the running session; null when there is none.
  void on_end(std::function<void()> end) {
    end_ = std::move(end);
    if (end_ && ended_) end_();
  }

  // Awaits `running`, which serves with `frontend`. Meanwhile the frontend is attached to the
  // worker, and a request to end reaches its end(). Called on the worker.
  template <class F>
  Task<void> serve_with(Context context, F& frontend, Task<void> running) {
    context.worker.attach(frontend);
    auto end = [&loop = context.worker.loop(), &frontend] {
      loop.post([&frontend] { frontend.end(); });
    };
    context.control.post([this, end] { on_end(end); });
    auto served = co_await running;
    context.worker.detach(frontend);
    // After this, no message posted to the worker refers to the frontend.
    auto forget = [this]() -> Task<void> {
      on_end(nullptr);
      co_return ok();
    };
    auto forgotten = co_await hop<void>(context.control, forget);
    discard(forgotten, "the session has ended either way");
    co_return served;
  }

 private:
  bool ended_ = false;
  std::function<void()> end_;
};

}  // namespace patchbay::app
