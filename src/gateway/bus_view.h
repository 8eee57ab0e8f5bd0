// A BusView is an upstream that is a bus, for the people who look after it: its topics, the replies
// that no call waited for, and the newest records of a topic.
//
// Callable on any worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "async/timers.h"

namespace patchbay::gateway {

struct BusTopic {
  std::string name;
  std::string_view role;   // registry, request, response, content or configured.
  std::string agent = {};  // The registration that names it; may be empty.
};

struct BusReport {
  std::int64_t unsent = 0;  // Records that wait to be sent.
  std::int64_t unread = 0;  // Records of topics that the gateway reads, and has not read.
  // Replies that no call waited for, since the start.
  std::uint64_t late = 0;        // Their call had ended without an answer.
  std::uint64_t duplicate = 0;   // Their call had been answered.
  std::uint64_t foreign = 0;     // Of no call of this gateway.
  std::uint64_t misplaced = 0;   // In the reply topic of another agent.
  std::uint64_t unreadable = 0;  // Without a correlation id.
  std::uint64_t surplus = 0;     // Dropped, because too many waited.
  std::vector<BusTopic> topics = {};
};

// What one consumer group has not read yet of one partition of an agent's requests.
struct BusLagLine {
  std::string topic;
  std::string agent;
  std::int32_t partition = 0;
  std::optional<std::int64_t> end = {};        // The offset of the next record; nothing: unknown.
  std::string group = {};                      // Empty: no group is known to read the topic.
  std::string state = {};                      // Of the group, as the brokers say; may be empty.
  std::optional<std::int64_t> committed = {};  // Nothing: nothing yet.
};

struct BusLag {
  std::vector<BusLagLine> lines = {};
  std::string why = {};  // If the brokers do not list their groups.
  bool complete = true;  // False: there are more, or the time was up.
};

class BusView {
 public:
  virtual ~BusView() = default;
  virtual Task<BusReport> bus_report() = 0;
  // The newest records of one of its topics, the newest first, each the raw JSON of an object. What
  // is in Avro is JSON, where the schema registry has the schema. Code::not_found for other topics.
  virtual Task<std::vector<std::string>> last_records(std::string topic, std::size_t count,
                                                      Deadline deadline) = 0;
  // How far its agents are behind.
  virtual Task<BusLag> bus_lag() = 0;
};

}  // namespace patchbay::gateway
