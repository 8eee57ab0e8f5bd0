#include "async/executor.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace patchbay {

thread_local Executor* Executor::current_ = nullptr;

Executor::TurnEnd::~TurnEnd() {
  if (!waiting_in_) return;
  std::ranges::replace(waiting_in_->turn_ends_, this, nullptr);
  std::ranges::replace(waiting_in_->ending_, this, nullptr);
}

Executor::~Executor() {
  for (PostedMessage* message = inbox_.exchange(nullptr); message;) {
    delete std::exchange(message, message->next);
  }
  if (current_ == this) current_ = nullptr;
}

void Executor::at_turn_end(TurnEnd& work) {
  if (work.waiting_in_) return;
  work.waiting_in_ = this;
  turn_ends_.push_back(&work);
}

void Executor::post(std::move_only_function<void()> open) {
  auto* message = new PostedMessage{std::move(open)};
  PostedMessage* before = inbox_.load(std::memory_order_relaxed);
  do {
    message->next = before;
  } while (!inbox_.compare_exchange_weak(before, message, std::memory_order_acq_rel));
  // The message may have been freed by now. Only the first one needs to wake the thread, which
  // takes all.
  if (!before) wake();
}

void Executor::turn(Deadline now) {
  set_now(now);
  run_posted();
  timers_.advance(now);
  ready_.insert(ready_.end(), next_turn_.begin(), next_turn_.end());
  next_turn_.clear();
  finish_turn();
}

void Executor::finish_turn() {
  run_ready();
  while (!turn_ends_.empty()) {
    ending_.swap(turn_ends_);
    for (std::size_t i = 0; i < ending_.size(); ++i) {
      TurnEnd* const work = ending_[i];
      if (!work) continue;
      work->waiting_in_ = nullptr;
      work->on_turn_end();
    }
    ending_.clear();
    run_ready();
  }
}

void Executor::run_posted() {
  PostedMessage* newest = inbox_.exchange(nullptr, std::memory_order_acq_rel);
  PostedMessage* oldest = nullptr;
  while (newest) {
    PostedMessage* const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest) {
    const std::unique_ptr<PostedMessage> message(std::exchange(oldest, oldest->next));
    message->open();
  }
}

void Executor::run_ready() {
  while (!ready_.empty()) {
    running_.swap(ready_);
    for (const auto task : running_) task.resume();
    running_.clear();
  }
}

}  // namespace patchbay
