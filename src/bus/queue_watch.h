// A QueueWatch has a queue of librdkafka emptied by a worker: librdkafka's own thread notices that
// something has come and sends the worker a letter, so that nobody ever blocks on the queue.
//
// Made and ended on the thread of `home`, where `serve` is called too.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "async/executor.h"
#include "bus/rdkafka.h"

namespace patchbay::bus {

class QueueWatch {
 public:
  // Takes what is there, within reason; true if there may be more.
  using Serve = std::function<bool()>;

  // REQUIRES: `queue` and `home` outlive the watch.
  QueueWatch(rd_kafka_queue_t* queue, Executor& owner, Serve serve);
  QueueWatch(const QueueWatch&) = delete;
  QueueWatch& operator=(const QueueWatch&) = delete;
  ~QueueWatch();

 private:
  // Lives until the last letter is opened.
  struct State : std::enable_shared_from_this<State> {
    State(Executor& at, Serve with) : owner(at), serve(std::move(with)) {}
    void notify();
    void run();

    Executor& owner;
    Serve serve;  // At home; empty once the watch has ended.
    std::atomic<bool> posted = false;
  };

  rd_kafka_queue_t* const queue_;
  const std::shared_ptr<State> state_;
};

}  // namespace patchbay::bus
