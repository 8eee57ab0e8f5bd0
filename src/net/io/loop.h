// A Loop is a thread's executor driven by epoll: it waits for descriptors, deadlines and posted
// messages, and runs each in turn. Each worker has one; so has the control thread.
//
// Confined to the thread that runs it, except post() and quit().
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "async/executor.h"
#include "net/io/fd.h"

struct epoll_event;

namespace patchbay::net {

class Source;

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

 private:
  friend class Source;

  static constexpr int kBatch = 256;  // Events taken from the kernel at a time.

  void wake() override;
  int wait_time() const;
  // 0, or the errno of the kernel's refusal.
  int add(Source& source, std::uint32_t events);
  void remove(Source& source);

  const int number_;
  const Fd epoll_;
  const Fd wakeup_;  // An eventfd, edge-triggered and never read.
  std::atomic<bool> quit_ = false;

  // The events of the current turn. A source that is destroyed is removed from them.
  std::array<Source*, kBatch> batch_{};
  int batch_size_ = 0;
};

}  // namespace patchbay::net
