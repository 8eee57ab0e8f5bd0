// A QueueWatch lets a worker drain a queue of librdkafka: librdkafka's thread sees that something
// has arrived and posts a message to the worker, so that no thread blocks on the queue.
//
// Created and ended on the thread of `owner`, which also calls `serve`.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "async/executor.h"
#include "bus/rdkafka.h"

namespace patchbay::bus {

class QueueWatch {
 public:
  // Drains the queue within reason; true if there may be more.
  using Serve = std::function<bool()>;

  // REQUIRES: `queue` and `owner` outlive the watch.
  QueueWatch(rd_kafka_queue_t* queue, Executor& owner, Serve serve);
  QueueWatch(const QueueWatch&) = delete;
  QueueWatch& operator=(const QueueWatch&) = delete;
  ~QueueWatch();

 private:
  // Lives until the last posted message has run.
  struct State : std::enable_shared_from_this<State> {
    State(Executor& at, Serve with) : owner(at), serve(std::move(with)) {}
    void notify();
    void run();

    Executor& owner;
    Serve serve;  // On the owner thread; empty once the watch has ended.
    std::atomic<bool> posted = false;
  };

  rd_kafka_queue_t* const queue_;
  const std::shared_ptr<State> state_;
};

}  // namespace patchbay::bus
