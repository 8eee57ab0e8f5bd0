// Questions about topics that block until a broker has answered: to be asked on a thread that may.
// For the files of this folder only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "async/timers.h"
#include "bus/rdkafka.h"
#include "bus/reader.h"
#include "core/result.h"

namespace patchbay::bus {

// How long to go on asking.
struct Timeout {
  Deadline deadline;
  std::shared_ptr<const std::atomic<bool>> over = {};  // Set: nobody wants to know any more.

  // How many milliseconds to ask for before looking again whether anybody does.
  int slice() const;
  bool is_over() const { return Clock::now() >= deadline || (over && *over); }
};

struct PartitionEnds {
  std::int32_t partition = 0;
  std::int64_t first = 0;  // The oldest offset that is there...
  std::int64_t end = 0;    // ...and the one that the next record will get.
};

// The partitions of a topic and what is in them. Code::not_found if there is no such topic,
// Code::unavailable if no broker says so.
Result<std::vector<PartitionEnds>> find_ends(rd_kafka_t* client, const std::string& topic,
                                             const Timeout& timeout);

// The numbers of its partitions.
Result<std::vector<std::int32_t>> find_partitions(rd_kafka_t* client, const std::string& topic,
                                                  const Timeout& timeout);

// How far the group of the client has come. Without topics: in all that it has committed.
Result<std::vector<GroupLag>> find_lag(rd_kafka_t* client, std::vector<std::string> topics,
                                       const Timeout& timeout);

struct NewTopic {
  std::string name;
  int partitions = 1;
  bool compacted = false;
};

// Makes a topic unless it is there: by asking for it to be made, or, on the embedded bus, which
// knows no such request, by mentioning it.
Result<void> ensure_topic(rd_kafka_t* client, const NewTopic& topic, const Timeout& timeout);

}  // namespace patchbay::bus
