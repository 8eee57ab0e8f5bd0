// The Readiness of one descriptor: the events that the kernel has reported, and the waiters for
// them. A Loop passes the events on; a Source reads and writes.
//
// Confined to the thread of its loop.
#pragma once

#include <cstdint>

namespace patchbay::net {

class Readiness {
 public:
  // Waits until the descriptor can be read or written. Called once per wait.
  class Waiter {
   public:
    virtual void on_ready() = 0;

   protected:
    ~Waiter() = default;
  };

  // Called once when the peer has disconnected or has ended its side.
  class Hangup {
   public:
    virtual void on_hangup() = 0;

   protected:
    ~Hangup() = default;
  };

  // Those of epoll.
  void on_events(std::uint32_t events);

  void wait_readable(Waiter& waiter) { reader_ = &waiter; }
  void wait_writable(Waiter& waiter) { writer_ = &waiter; }
  void forget(Waiter& waiter);

  // At most one; null to remove it. Called at once if the peer has disconnected already.
  void watch_hangup(Hangup* hangup);

  // An attempt may succeed. True until one has found otherwise.
  bool may_read() const { return may_read_; }
  bool may_write() const { return may_write_; }
  void set_unreadable() { may_read_ = false; }
  void set_unwritable() { may_write_ = false; }

  bool hung_up() const { return hung_up_; }
  void set_hung_up() { hung_up_ = true; }

 private:
  Waiter* reader_ = nullptr;
  Waiter* writer_ = nullptr;
  Hangup* hangup_ = nullptr;
  bool may_read_ = true;
  bool may_write_ = true;
  bool hung_up_ = false;
};

}  // namespace patchbay::net
