// A Writer is the output side of a connection. Many senders queue lines in it, and everything
// queued during a turn is sent in one write at the end of the turn. It refuses nothing: a sender
// whose peer reads too slowly waits for room first, and so does the program whose output it sends.
// (net::Outbox is for senders that must not wait: it refuses.)
//
// Confined to the thread of its source.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "async/executor.h"
#include "async/one_shot.h"
#include "net/io/source.h"

namespace patchbay::agent {

class Writer final : Executor::TurnEnd, net::Source::Waiter {
 public:
  // Called once per wait: there is room, or the peer has disconnected.
  class Waiting {
   public:
    virtual void on_room() = 0;

   protected:
    ~Waiting() = default;
  };

  // REQUIRES: `out` outlives the writer.
  Writer(net::Source& out, std::size_t most) : out_(out), most_(most) {}
  ~Writer() { out_.forget(*this); }

  bool has_room() const { return waiting_ < most_; }
  bool broken() const { return broken_; }

  // Queues a line. Dropped after the peer has disconnected.
  void put(std::string line);

  void wait_room(Waiting& waiting) { room_.push_back(&waiting); }
  void forget(Waiting& waiting) { std::erase(room_, &waiting); }

  // Waits until there is room. Code::unavailable once the peer has disconnected.
  Task<void> room();

  // Waits until everything is sent, or the peer has disconnected.
  Task<void> flushed(Deadline deadline);

  void on_broken(std::function<void()> notify) { notify_broken_ = std::move(notify); }

 private:
  void on_turn_end() override { flush(); }
  void on_ready() override { flush(); }
  void flush();
  void written(std::size_t count);
  void notify_room();

  net::Source& out_;
  const std::size_t most_;
  std::deque<std::string> lines_;
  std::size_t sent_ = 0;     // Of the first line.
  std::size_t waiting_ = 0;  // Bytes of all lines that have not been sent.
  bool broken_ = false;
  std::vector<Waiting*> room_;
  OneShot<void>* flushed_ = nullptr;
  std::function<void()> notify_broken_;
};

}  // namespace patchbay::agent
