#include "async/scope.h"

#include <cassert>

#include "core/discard.h"

namespace patchbay {

Scope::~Scope() { assert(empty() && "a Scope must outlive its tasks"); }

void Scope::spawn(Task<void> task) {
  ++running_;
  run(stop_, *this, std::move(task));
}

detail::Root Scope::run(Stop&, Scope& scope, Task<void> task) {
  auto done = co_await task;
  discard(done, "the task has reported its own failure; a Scope only counts");
  --scope.running_;
  if (scope.running_ == 0 && scope.drained_) scope.drained_->deliver(ok());
}

Task<void> Scope::drain(Deadline deadline) {
  if (empty()) co_return ok();
  OneShot<void> drained;
  drained_ = &drained;
  auto done = co_await drained.wait(deadline);
  drained_ = nullptr;
  co_return done;
}

}  // namespace patchbay
