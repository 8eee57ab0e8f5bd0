// Blocking queries about topics, for threads that may block. For the files of this folder only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "async/timers.h"
#include "bus/group_lag.h"
#include "bus/rdkafka.h"
#include "core/result.h"

namespace patchbay::bus {

// How long to retry.
struct Timeout {
  Deadline deadline;
  std::shared_ptr<const std::atomic<bool>> over = {};  // Set: nobody waits for the answer.

  // Milliseconds of one attempt before `over` is checked again.
  int slice() const;
  bool is_over() const { return Clock::now() >= deadline || (over && *over); }
};

struct PartitionEnds {
  std::int32_t partition = 0;
  std::int64_t first = 0;  // The oldest available offset...
  std::int64_t end = 0;    // ...and that of the next record.
};

// The partitions of a topic and their offsets. Code::not_found if there is no such topic,
// Code::unavailable if no broker answers.
Result<std::vector<PartitionEnds>> find_ends(rd_kafka_t* client, const std::string& topic,
                                             const Timeout& timeout);

// The numbers of its partitions.
Result<std::vector<std::int32_t>> find_partitions(rd_kafka_t* client, const std::string& topic,
                                                  const Timeout& timeout);

// The committed offsets of the client's group. Without topics: all that it has committed.
Result<std::vector<GroupLag>> find_lag(rd_kafka_t* client, std::vector<std::string> topics,
                                       const Timeout& timeout);

struct NewTopic {
  std::string name;
  int partitions = 1;
  bool compacted = false;
};

// Creates a topic if there is none: by a request, or, on the embedded bus, which has no such
// request, by mentioning it.
Result<void> ensure_topic(rd_kafka_t* client, const NewTopic& topic, const Timeout& timeout);

}  // namespace patchbay::bus
