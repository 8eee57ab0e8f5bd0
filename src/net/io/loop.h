// A Loop is a thread's executor driven by epoll: it waits for descriptors, deadlines and posted
// messages, and runs each in turn. Each worker has one; so has the control thread.
//
// Confined to the thread that runs it, except post() and quit().
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "async/executor.h"
#include "net/io/fd.h"
#include "net/io/readiness.h"

namespace patchbay::net {

class Loop final : public Executor {
 public:
  // `number` distinguishes workers in logs and ids.
  explicit Loop(int number = 0);
  ~Loop() override;

  // Serves until quit(). Binds the loop to the calling thread.
  void run();

  // Ends run() after the current turn. Callable from any thread.
  void quit();

  int number() const { return number_; }

  // Receives the duration of each turn. Events that arrive during a turn wait until it ends.
  class TurnObserver {
   public:
    virtual ~TurnObserver() = default;
    virtual void on_turn(std::chrono::nanoseconds took) = 0;
  };
  // REQUIRES: called before run().
  void observe_turns(std::unique_ptr<TurnObserver> observer) { turns_ = std::move(observer); }

  // Passes the events of `fd` on to `readiness`, edge-triggered, until unwatch(). Yields 0, or the
  // errno of the kernel's refusal.
  int watch(int fd, Readiness& readiness);
  void unwatch(int fd, Readiness& readiness);

 private:
  static constexpr int kBatch = 256;  // Events taken from the kernel at a time.

  void wake() override;
  int wait_time(Deadline now) const;

  const int number_;
  const Fd epoll_;
  const Fd wakeup_;  // An eventfd, edge-triggered and never read.
  std::atomic<bool> quit_ = false;
  std::unique_ptr<TurnObserver> turns_;  // Null: turns are not timed.

  // The receivers of the events of the current turn. A receiver that is unwatched meanwhile is
  // removed.
  std::array<Readiness*, kBatch> batch_{};
  int batch_size_ = 0;
};

}  // namespace patchbay::net
