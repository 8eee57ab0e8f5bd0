// A Producer sends records: idempotent, acknowledged by all replicas, with a bounded queue. An
// error after which librdkafka's own client is of no more use makes a new one take its place; what
// the old one had not sent fails.
//
// send() may be called on any thread and never waits. Everything else is confined to `home`, where
// the Events are told too.
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
    // What became of the record that was sent with that tag; told once for each.
    virtual void on_delivered(std::uint64_t tag, const Result<RecordMetadata>& outcome) = 0;
    // Something is wrong with the bus, not with one record.
    virtual void on_trouble(const Error& error) = 0;
  };

  // REQUIRES: `home`, `events` and `pool`, where clients end, outlive the producer.
  Producer(Connection connection, Executor& owner, Events& events, ThreadPool& pool);
  ~Producer();  // REQUIRES: stop() has yielded, or start() has failed or never been called.

  // Begins to connect; brokers that are down are tried again and again.
  Result<void> start();

  // Code::overloaded if too much waits already, Code::too_large, Code::unavailable once stopped.
  Result<void> send(const Outgoing& record, std::uint64_t tag);

  // Records wait a while for others to travel with (linger.ms), so that whoever has several need
  // not hand them over in one go.
  bool gathers() const { return gathers_; }

  // Finds a topic and connects to its brokers, so that the first record need not wait for that.
  Task<void> prepare(std::string topic, Deadline deadline);
  // Nobody waits for that any more.
  void give_up() { *over_ = true; }

  // Records that wait to be sent or acknowledged.
  int waiting() const;

  // Sends what waits until `deadline`; what is left then fails.
  Task<void> stop(Deadline deadline);

  // As if librdkafka had met an error from which its client cannot recover. For tests.
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
