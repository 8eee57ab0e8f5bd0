// hop() runs a task on another thread's executor and waits for it here. A Stop on this side is
// forwarded. This is how a call reaches an upstream whose owner is another worker.
#pragma once

#include <memory>

#include "async/one_shot.h"

namespace patchbay {

namespace detail {

// Shared by both sides; each member is used by one of them.
template <class T, class Make>
struct Hop {
  Executor& from;
  Executor& to;
  // On the far side.
  Make make;
  Stop stop = {};
  // On the near side.
  OneShot<T> answer = {};

  static Root run(Stop&, std::shared_ptr<Hop> self) {
    auto result = co_await self->make();
    Executor& from = self->from;
    auto deliver = [self = std::move(self), result = std::move(result)]() mutable {
      self->answer.deliver(std::move(result));
    };
    from.post(std::move(deliver));
  }
};

template <class HopType>
class CarryStop final : public Stop::Hook {
 public:
  explicit CarryStop(std::shared_ptr<HopType> hop) : hop_(std::move(hop)) {}
  void on_stop() override {
    hop_->to.post([hop = hop_] { hop->stop.request(); });
  }

 private:
  std::shared_ptr<HopType> hop_;
};

}  // namespace detail

// Runs the task that `make` returns on `to`. Objects that `make` refers to stay alive until hop()
// yields, because it always waits for the other side, even when it is stopped.
template <class T, class Make>
Task<T> hop(Executor& to, Make make) {
  using HopType = detail::Hop<T, Make>;
  if (&to == &here()) co_return co_await make();

  Stop* const stop = co_await current_stop();
  if (stop && stop->requested()) co_return Error{Code::cancelled, "cancelled"};

  std::shared_ptr<HopType> state(new HopType{here(), to, std::move(make)});
  to.post([state] { HopType::run(state->stop, state); });

  detail::CarryStop<HopType> carry(state);
  if (stop) carry.link(*stop);
  // Shielded from the task's own Stop: the other side must be done before this frame ends.
  auto wait = state->answer.wait();
  wait.ignore_stop();
  co_return co_await wait;
}

}  // namespace patchbay
