// Readers take records of topics without belonging to a group: each has its own assignment, so that
// no two nodes share what one of them waits for. A Consumer is the connection that Readers share.
//
// Confined to `home`. What blocks in librdkafka runs in the consumer's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "async/thread_pool.h"
#include "bus/connection.h"
#include "bus/record.h"

struct rd_kafka_s;

namespace patchbay::bus {

// How far a group has come in a partition.
struct GroupLag {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t committed = 0;
  std::int64_t end = 0;
};

class Consumer {
 public:
  using Trouble = std::function<void(const Error&)>;

  // With `reports_ends`, Readers hear when they have caught up. REQUIRES: `home` and `pool` outlive
  // the consumer. `trouble` is told at home.
  Consumer(Connection connection, bool reports_ends, Executor& owner, ThreadPool& pool,
           Trouble trouble);
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  ~Consumer();  // REQUIRES: as for Producer; no Reader and no Record of it is left.

  Result<void> start();
  Task<void> stop();

  // From now on nobody wants to know what is being asked: answers come soon, and are errors.
  void give_up() { *over_ = true; }

  // How far the group that the connection names has come. Without topics: all it has read.
  Task<std::vector<GroupLag>> lag(std::vector<std::string> topics, Deadline deadline);

  // Makes a topic unless it is there.
  Task<void> ensure_topic(std::string topic, int partitions, bool compacted, Deadline deadline);

 private:
  friend class Reader;
  struct Handle;

  // Asks something that blocks, on a thread that may.
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
};

class Reader {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // The records that have come, in the order of each partition.
    virtual void on_records(std::vector<Record> records) = 0;
    // Everything that was there when the topic was asked for has been told of, if the consumer
    // tells ends. Told once.
    virtual void on_caught_up(const std::string& topic) = 0;
    // A topic cannot be read for now; librdkafka keeps trying.
    virtual void on_unreadable(const std::string& topic, const Error& why) = 0;
  };

  enum class From : std::uint8_t { beginning, now };

  // REQUIRES: `consumer` and `events` outlive the reader.
  Reader(Consumer& consumer, Events& events);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();  // REQUIRES: stop() has yielded, or nothing was followed.

  // Begins to read every partition of the topic. Once it yields, whatever is sent to the topic from
  // then on is told of. For a topic that is followed already it takes up partitions that are new. A
  // topic that was not there when it was first asked for is read from its beginning later.
  // Code::not_found if there is no such topic, Code::unavailable if no broker says so.
  Task<void> follow(std::string topic, From from, Deadline deadline);

  // Nothing of the topic is told of any more once it yields.
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
  std::set<std::string> absent_;  // Topics that were not there when asked for.
  // Topics that are just being left, and who waits for that.
  std::map<std::string, std::set<OneShot<void>*>> leaving_;
};

}  // namespace patchbay::bus
