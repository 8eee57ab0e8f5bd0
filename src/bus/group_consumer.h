// A GroupConsumer takes records of topics as a member of a consumer group, so that the work spreads
// over all members. How far the group has come is committed only for what is done: a record whose
// member dies before that goes to another.
//
// Confined to `home`, where the Events are told.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/scope.h"
#include "async/thread_pool.h"
#include "bus/connection.h"
#include "bus/record.h"

struct rd_kafka_topic_partition_list_s;

namespace patchbay::bus {

class GroupConsumer {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // A record is ours to deal with; done() is told once it has been.
    virtual void on_record(OwnedMessage record) = 0;
    // Which partitions are ours is another: so many are now.
    virtual void on_assigned(std::size_t partitions) = 0;
    virtual void on_trouble(const Error& error) = 0;
  };

  struct Settings {
    std::string group;
    std::size_t at_once = 64;    // Records that may be dealt with at a time...
    std::size_t backlog = 1000;  // ...and that may wait for it here; others wait on the bus.
    std::size_t backlog_bytes = 16 << 20;
    // For what is being dealt with when partitions go elsewhere.
    std::chrono::milliseconds handover{10'000};
    // For leaving the group when nobody answers.
    std::chrono::milliseconds leave_time{5'000};
  };

  // REQUIRES: all outlive this.
  GroupConsumer(Connection connection, Settings settings, Executor& owner, ThreadPool& pool,
                Events& events);
  ~GroupConsumer();  // REQUIRES: stop() has yielded, or it never started.

  Result<void> start();

  // Takes these topics from now on, and no others.
  Result<void> subscribe(const std::vector<std::string>& topics);

  // The record there has been dealt with.
  void done(const std::string& topic, std::int32_t partition, std::int64_t offset);

  // Takes no more, waits until `deadline` for what is being dealt with, commits, and leaves.
  Task<void> stop(Deadline deadline);

 private:
  struct Handle;
  using Partition = std::pair<std::string, std::int32_t>;
  using Offsets = std::map<std::int64_t, bool>;  // Whether each is done.

  bool serve();
  void take(const rd_kafka_message_s& message);
  void note_commit(int error);  // Of librdkafka.
  void store(const std::string& topic, std::int32_t partition, std::int64_t offset);
  void rebalance(bool assign, rd_kafka_topic_partition_list_s* partitions);
  Task<void> hand_over();
  Task<void> wait_idle(Deadline deadline);
  void assign(rd_kafka_topic_partition_list_s* partitions);
  void hand_out();
  void drop_backlog();
  void pause(bool on);

  const Connection connection_;
  const Settings settings_;
  Executor& owner_;
  ThreadPool& pool_;
  Events& events_;
  std::shared_ptr<Handle> handle_;
  std::map<Partition, Offsets> offsets_;
  std::deque<OwnedMessage> backlog_;  // Records that wait for their turn, the oldest first.
  std::size_t backlog_bytes_ = 0;
  std::size_t running_ = 0;  // Records that are being dealt with.
  bool handing_out_ = false;
  bool paused_ = false;
  bool handing_over_ = false;  // Our partitions are about to go elsewhere.
  bool stopping_ = false;
  OneShot<void>* idle_ = nullptr;  // Who waits for the last of them.
  Scope scope_;
};

}  // namespace patchbay::bus
