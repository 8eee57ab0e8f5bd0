// A Producer sends records: idempotent, acknowledged by all replicas, with a bounded queue. After a
// fatal error of librdkafka's client, a new client replaces it; what the old one had not sent
// fails.
//
// send() may be called on any thread and never waits. Everything else is confined to the thread of
// `owner`, which also calls the Events.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "async/scope.h"
#include "async/thread_pool.h"
#include "bus/connection.h"
#include "bus/record.h"

struct rd_kafka_op_s;  // An event.

namespace patchbay::bus {

class Producer {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // The outcome of the record that was sent with that tag; called once for each.
    virtual void on_delivered(std::uint64_t tag, const Result<RecordMetadata>& outcome) = 0;
    // A problem of the bus, not of one record.
    virtual void on_trouble(const Error& error) = 0;
  };

  // REQUIRES: `owner`, `events` and `pool`, where clients are destroyed, outlive the producer.
  Producer(Connection connection, Executor& owner, Events& events, ThreadPool& pool);
  ~Producer();  // REQUIRES: stop() has yielded, or start() has failed or never been called.

  // Starts to connect; librdkafka keeps retrying brokers that are down.
  Result<void> start();

  // Code::overloaded if the queue is full, Code::too_large, Code::unavailable once stopped.
  Result<void> send(const Outgoing& record, std::uint64_t tag);

  // Records wait a moment to be batched (linger.ms), so that several records can be sent one by
  // one.
  bool gathers() const { return gathers_; }

  // Looks up a topic and connects to its brokers, so that the first record does not wait for that.
  Task<void> prepare(std::string topic, Deadline deadline);
  // Nobody waits for that any more.
  void give_up() { *over_ = true; }

  // Records that wait to be sent or acknowledged.
  int waiting() const;

  // Sends queued records until `deadline`; the rest fails.
  Task<void> stop(Deadline deadline);

  // As if librdkafka had reported a fatal error. For tests.
  void break_client();

 private:
  class Handle;

  Result<std::shared_ptr<Handle>> make_handle();
  std::shared_ptr<Handle> current() const;
  bool serve(Handle& handle);
  std::optional<Error> take(Handle& handle, rd_kafka_op_s& event);
  bool rebuild(const Error& why);
  Task<void> retire(std::shared_ptr<Handle> old, Deadline deadline);

  const Connection connection_;
  const bool gathers_;
  Executor& owner_;
  Events& events_;
  ThreadPool& pool_;
  Scope retiring_;
  bool stopping_ = false;
  const std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);

  mutable std::mutex mutex_;
  std::shared_ptr<Handle> handle_;  // Null: not started, or stopped.
};

}  // namespace patchbay::bus
