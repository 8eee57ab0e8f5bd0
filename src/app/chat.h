// A Chat answers goals that a person types at a prompt, by the same way as those that come over
// HTTP.
//
// run() on a thread of its own, which waits for the person; goals run on the worker.
#pragma once

#include <string>
#include <string_view>

#include "app/prompt.h"
#include "app/worker.h"
#include "async/scope.h"

namespace patchbay::app {

class Chat {
 public:
  // REQUIRES: the worker outlives the chat.
  explicit Chat(Worker& owner);

  // Until the person has enough, the input ends or interrupt() is called.
  void run();

  // Ends what is going on. Callable on any thread.
  void interrupt();

  // Lets go of goals that were given up. Called on the worker, after run().
  Task<void> drain() { co_return co_await goals_.drain(kNever); }

 private:
  void answer(const std::string& goal);

  Worker& owner_;
  Prompt prompt_;
  Scope goals_;  // Touched on the worker only.
};

}  // namespace patchbay::app
