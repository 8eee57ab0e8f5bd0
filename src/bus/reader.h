// Readers take records of topics without a group: each has its own assignment, so that no two nodes
// share records. A Consumer is the connection that Readers share.
//
// Confined to the thread of `owner`, except unread(). Blocking calls of librdkafka run in the
// consumer's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "async/thread_pool.h"
#include "bus/connection.h"
#include "bus/group_lag.h"
#include "bus/lag_report.h"
#include "bus/record.h"
#include "bus/stored_record.h"

struct rd_kafka_s;

namespace patchbay::bus {

class Consumer {
 public:
  using Trouble = std::function<void(const Error&)>;

  // With `reports_ends`, Readers are notified when they have caught up. REQUIRES: `owner` and
  // `pool` outlive the consumer. `trouble` is called on the owner thread.
  Consumer(Connection connection, bool reports_ends, Executor& owner, ThreadPool& pool,
           Trouble trouble);
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  ~Consumer();  // REQUIRES: as for Producer; no Reader and no Record of it is left.

  Result<void> start();
  Task<void> stop();

  // Queries in progress end soon, with errors.
  void give_up() { *over_ = true; }

  // The committed offsets of the group that the connection names. Without topics: all that it has
  // read.
  Task<std::vector<GroupLag>> lag(std::vector<std::string> topics, Deadline deadline);

  // What the groups that read these topics have not read yet.
  Task<LagReport> agent_lag(LagQuestion question, Deadline deadline);

  // The newest records of a topic that no Reader of this consumer follows, the newest first.
  Task<std::vector<StoredRecord>> last_records(std::string topic, PeekBounds bounds,
                                               Deadline deadline);

  // Records of the topics that are read which no Reader has reported, as far as the client knows
  // the ends. Callable on any thread.
  std::int64_t unread() const;

  // Creates a topic if there is none.
  Task<void> ensure_topic(std::string topic, int partitions, bool compacted, Deadline deadline);

 private:
  friend class Reader;
  struct Handle;

  // How far each partition is read. Any thread.
  struct Positions {
    void set(const std::string& topic, std::int32_t partition, std::int64_t next);
    void forget(const std::string& topic);
    void set_client(rd_kafka_s* used);

    std::mutex mutex;
    rd_kafka_s* client = nullptr;  // Null: not started, or stopped.
    std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>> next;
  };

  // Runs a blocking query on a thread of the pool.
  template <class T>
  Task<T> ask(std::function<Result<T>(rd_kafka_s*)> question);
  bool serve();

  const Connection connection_;
  const bool reports_ends_;
  Executor& owner_;
  ThreadPool& pool_;
  const Trouble trouble_;
  const std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<Handle> handle_;  // Null: not started, or stopped.
  mutable Positions positions_;
};

class Reader {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // The records that have arrived, in the order of each partition.
    virtual void on_records(std::vector<Record> records) = 0;
    // Every record that was there when the topic was followed has been reported, if the consumer
    // reports ends. Called once.
    virtual void on_caught_up(const std::string& topic) = 0;
    // A topic cannot be read for now; librdkafka keeps retrying.
    virtual void on_unreadable(const std::string& topic, const Error& why) = 0;
  };

  enum class From : std::uint8_t { beginning, now };

  // REQUIRES: `consumer` and `events` outlive the reader.
  Reader(Consumer& consumer, Events& events);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();  // REQUIRES: stop() has yielded, or nothing was followed.

  // Starts to read every partition of the topic. Once it yields, every record that is sent to the
  // topic from then on is reported. For a topic that is followed already it adds new partitions. A
  // topic that did not exist at the first attempt is later read from its beginning. Code::not_found
  // if there is no such topic, Code::unavailable if no broker answers.
  Task<void> follow(std::string topic, From from, Deadline deadline);

  // Once it yields, no more records of the topic are reported.
  Task<void> leave(std::string topic);

  bool follows(const std::string& topic) const { return topics_.contains(topic); }
  Task<void> stop();

 private:
  struct Followed;
  struct Queue;

  Task<void> wait_left(std::string topic, Deadline deadline);
  bool serve();
  void note_end(Followed& topic, std::int32_t partition);

  Consumer& consumer_;
  Events& events_;
  std::unique_ptr<Queue> queue_;
  std::map<std::string, std::shared_ptr<Followed>, std::less<>> topics_;
  std::set<std::string> absent_;  // Topics that did not exist when they were followed.
  // Topics that are being unsubscribed, and who waits for that.
  std::map<std::string, std::set<OneShot<void>*>> leaving_;
};

}  // namespace patchbay::bus
