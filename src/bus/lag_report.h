// How far the consumer groups of agents are behind: which groups read some topics, and what each of
// them has committed. Brokers know it; the embedded one does not list its groups, but has the
// offsets of groups that are named.
//
// Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace patchbay::bus {

struct LagQuestion {
  std::vector<std::string> topics;
  std::vector<std::string> groups;  // Besides those that the brokers list.
  std::size_t max_groups;
  std::size_t max_partitions;
  bool lists_groups = true;  // Whether the brokers do; the embedded one does not.
};

struct PartitionLag {
  std::string topic;
  std::int32_t partition = 0;
  std::optional<std::int64_t> end = {};        // The offset of the next record; nothing: unknown.
  std::string group = {};                      // Empty: no group is known to read the topic.
  std::string state = {};                      // Of the group, as the brokers say; may be empty.
  std::optional<std::int64_t> committed = {};  // Nothing: nothing yet.
};

struct LagReport {
  std::vector<PartitionLag> lines = {};  // In the order of the topics.
  std::string why = {};                  // If the brokers do not list their groups.
  bool complete = true;  // False: there are more groups or partitions, or the time was up.
};

}  // namespace patchbay::bus
