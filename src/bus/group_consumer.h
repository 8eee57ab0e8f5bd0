// A GroupConsumer takes records of topics as a member of a consumer group, so that the work spreads
// over all members. Offsets are committed only for finished records: the unfinished records of a
// member that dies go to another.
//
// Confined to the thread of `owner`, which also calls the Events.
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
    // A record to process; the receiver calls done() when it is finished.
    virtual void on_record(OwnedMessage record) = 0;
    // The assignment has changed: this many partitions are ours now.
    virtual void on_assigned(std::size_t partitions) = 0;
    virtual void on_trouble(const Error& error) = 0;
  };

  struct Settings {
    std::string group;
    std::size_t at_once = 64;    // Records that are processed concurrently...
    std::size_t backlog = 1000;  // ...and that may wait here; others wait on the bus.
    std::size_t backlog_bytes = 16 << 20;
    // How long records in progress may take when partitions are revoked.
    std::chrono::milliseconds handover{10'000};
    // How long leaving the group may take.
    std::chrono::milliseconds leave_time{5'000};
  };

  // REQUIRES: all arguments outlive this.
  GroupConsumer(Connection connection, Settings settings, Executor& owner, ThreadPool& pool,
                Events& events);
  ~GroupConsumer();  // REQUIRES: stop() has yielded, or it never started.

  Result<void> start();

  // Subscribes to exactly these topics.
  Result<void> subscribe(const std::vector<std::string>& topics);

  // The record at that offset is finished.
  void done(const std::string& topic, std::int32_t partition, std::int64_t offset);

  // Takes no more records, waits until `deadline` for those in progress, commits, and leaves.
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
  std::deque<OwnedMessage> backlog_;  // Waiting records, the oldest first.
  std::size_t backlog_bytes_ = 0;
  std::size_t running_ = 0;  // Records in progress.
  bool handing_out_ = false;
  bool paused_ = false;
  bool handing_over_ = false;  // Our partitions are being revoked.
  bool stopping_ = false;
  OneShot<void>* idle_ = nullptr;  // Waits for the last record in progress.
  Scope scope_;
};

}  // namespace patchbay::bus
