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
  if (scope.running_ > 0) co_return;
  for (Drainer* one = scope.drainers_; one; one = one->next) one->done.deliver(ok());
}

Task<void> Scope::drain(Deadline deadline) {
  if (empty()) co_return ok();
  Drainer drainer{drainers_};
  drainers_ = &drainer;
  auto done = co_await drainer.done.wait(deadline);
  forget(drainer);
  co_return done;
}

Task<void> Scope::finish(Deadline deadline) {
  auto done = co_await drain(deadline);
  if (done) co_return ok();
  cancel();
  co_return co_await drain(kNever);
}

void Scope::forget(const Drainer& drainer) {
  Drainer** at = &drainers_;
  while (*at != &drainer) at = &(*at)->next;
  *at = drainer.next;
}

}  // namespace patchbay
