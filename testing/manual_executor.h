// Executors for tests: one driven by hand with a manual clock, and one on its own thread.
#pragma once

#include <atomic>
#include <thread>

#include "async/executor.h"

namespace patchbay::testing {

class ManualExecutor final : public Executor {
 public:
  ManualExecutor() : Executor(Deadline(std::chrono::hours(1))) { enter(); }

  // Runs everything that can run now.
  void run() { turn(now()); }

  // Lets `span` pass, then runs everything that can run.
  void pass(std::chrono::nanoseconds span) { turn(now() + span); }

 private:
  void wake() override {}
};

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor() : Executor(Clock::now()), thread_([this] { work(); }) {}
  ~ThreadExecutor() override {
    quit_ = true;
    wake();
    thread_.join();
  }

  std::thread::id thread_id() const { return thread_.get_id(); }

 private:
  void work() {
    enter();
    while (!quit_) {
      woken_.wait(false);
      woken_ = false;
      turn(Clock::now());
    }
    turn(Clock::now());
  }
  void wake() override {
    woken_ = true;
    woken_.notify_one();
  }

  std::atomic<bool> quit_ = false;
  std::atomic<bool> woken_ = false;
  std::thread thread_;
};

}  // namespace patchbay::testing
