#include "bus/agent_lag.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace patchbay::bus {
namespace {

struct Freed {
  void operator()(rd_kafka_AdminOptions_t* options) const {
    rd_kafka_AdminOptions_destroy(options);
  }
  void operator()(rd_kafka_ListConsumerGroupOffsets_t* wanted) const {
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
  }
  void operator()(const struct rd_kafka_metadata* data) const { rd_kafka_metadata_destroy(data); }
};
using Options = std::unique_ptr<rd_kafka_AdminOptions_t, Freed>;

using Partition = std::pair<std::string, std::int32_t>;
using Offsets = std::map<Partition, std::int64_t>;

struct Group {
  std::string name;
  std::string state = {};
  Offsets committed = {};
};

Options options_for(rd_kafka_t* client, rd_kafka_admin_op_t operation, const Timeout& timeout) {
  Options options(rd_kafka_AdminOptions_new(client, operation));
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(timeout.deadline - Clock::now());
  const int time = static_cast<int>(std::clamp<std::int64_t>(left.count(), 1, 60'000));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), time, nullptr, 0);
  return options;
}

Owned<rd_kafka_event_t> next_event(rd_kafka_queue_t* queue, const Timeout& timeout) {
  Owned<rd_kafka_event_t> event;
  while (!event && !timeout.is_over()) event.reset(rd_kafka_queue_poll(queue, timeout.slice()));
  return event;
}

// The partitions of the topics that exist. Listing all topics creates none.
Result<std::vector<Partition>> partitions_of(rd_kafka_t* client, const LagQuestion& question,
                                             const Timeout& timeout) {
  const struct rd_kafka_metadata* data = nullptr;
  auto failed = RD_KAFKA_RESP_ERR__TIMED_OUT;
  while (failed == RD_KAFKA_RESP_ERR__TIMED_OUT && !timeout.is_over()) {
    failed = rd_kafka_metadata(client, 1, nullptr, &data, timeout.slice());
  }
  if (failed) return error_of(failed, "cannot query the bus");
  const std::unique_ptr<const struct rd_kafka_metadata, Freed> owner(data);
  std::vector<Partition> found;
  for (const auto& topic : question.topics) {
    for (int i = 0; i < data->topic_cnt; ++i) {
      if (topic != data->topics[i].topic) continue;
      for (int n = 0; n < data->topics[i].partition_cnt; ++n) {
        found.emplace_back(topic, data->topics[i].partitions[n].id);
      }
    }
  }
  return found;
}

// Adds the groups that the brokers list. Returns why they do not.
std::string add_listed(rd_kafka_t* client, const Timeout& timeout, std::vector<Group>& groups) {
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client));
  const auto options = options_for(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, timeout);
  rd_kafka_ListConsumerGroups(client, options.get(), queue.get());
  const auto event = next_event(queue.get(), timeout);
  if (!event) return "the brokers have not listed their groups in time";
  if (rd_kafka_event_error(event.get())) return rd_kafka_event_error_string(event.get());
  const auto* const result = rd_kafka_event_ListConsumerGroups_result(event.get());
  std::size_t count = 0;
  const auto* const* const listed = rd_kafka_ListConsumerGroups_result_valid(result, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = rd_kafka_ConsumerGroupListing_group_id(listed[i]);
    const std::string state =
        rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupListing_state(listed[i]));
    const auto known = std::ranges::find(groups, name, &Group::name);
    if (known != groups.end()) {
      known->state = state;
    } else {
      groups.push_back({name, state});
    }
  }
  const auto* const* const errors = rd_kafka_ListConsumerGroups_result_errors(result, &count);
  return count == 0 ? "" : rd_kafka_error_string(errors[0]);
}

void take_offsets(const rd_kafka_event_t* event, std::vector<Group>& groups) {
  const auto* const result =
      rd_kafka_event_ListConsumerGroupOffsets_result(const_cast<rd_kafka_event_t*>(event));
  std::size_t count = 0;
  const auto* const* const results =
      result ? rd_kafka_ListConsumerGroupOffsets_result_groups(result, &count) : nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const auto known = std::ranges::find(
        groups, std::string(rd_kafka_group_result_name(results[i])), &Group::name);
    const auto* const list = rd_kafka_group_result_partitions(results[i]);
    if (known == groups.end() || !list) continue;
    for (int n = 0; n < list->cnt; ++n) {
      const auto& one = list->elems[n];
      if (one.err || one.offset < 0) continue;
      known->committed[{one.topic, one.partition}] = one.offset;
    }
  }
}

// Queries all groups at once. False: not all of them have answered in time.
bool find_committed(rd_kafka_t* client, const std::vector<Partition>& partitions,
                    const Timeout& timeout, std::vector<Group>& groups) {
  const Owned<rd_kafka_topic_partition_list_t> list(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const auto& [topic, partition] : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  }
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client));
  const auto options = options_for(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, timeout);
  for (const auto& group : groups) {
    const std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t, Freed> wanted(
        rd_kafka_ListConsumerGroupOffsets_new(group.name.c_str(), list.get()));
    rd_kafka_ListConsumerGroupOffsets_t* one[] = {wanted.get()};
    rd_kafka_ListConsumerGroupOffsets(client, one, 1, options.get(), queue.get());
  }
  for (std::size_t left = groups.size(); left > 0; --left) {
    const auto event = next_event(queue.get(), timeout);
    if (!event) return false;
    take_offsets(event.get(), groups);
  }
  return true;
}

Offsets find_ends(rd_kafka_t* client, const std::vector<Partition>& partitions,
                  const Timeout& timeout) {
  Offsets ends;
  for (const auto& [topic, partition] : partitions) {
    if (timeout.is_over()) break;
    std::int64_t first = 0;
    std::int64_t end = 0;
    const auto failed = rd_kafka_query_watermark_offsets(client, topic.c_str(), partition, &first,
                                                         &end, timeout.slice());
    if (!failed) ends[{topic, partition}] = end;
  }
  return ends;
}

bool reads(const Group& group, const std::string& topic) {
  return std::ranges::any_of(group.committed,
                             [&](const auto& one) { return one.first.first == topic; });
}

template <class Value>
std::optional<std::int64_t> value_at(const Value& values, const Partition& partition) {
  const auto found = values.find(partition);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Result<LagReport> find_agent_lag(rd_kafka_t* client, const LagQuestion& question,
                                 const Timeout& timeout) {
  auto partitions = partitions_of(client, question, timeout);
  if (!partitions) return partitions.error();
  LagReport report;
  if (partitions->empty()) return report;
  if (partitions->size() > question.max_partitions) {
    partitions->resize(question.max_partitions);
    report.complete = false;
  }
  std::vector<Group> groups;
  for (const auto& name : question.groups) groups.push_back({name});
  // A broker that cannot list them is not asked: librdkafka 2.0.2 then leaks a queue.
  report.why = question.lists_groups ? add_listed(client, timeout, groups)
                                     : "the embedded bus does not list its groups";
  if (groups.size() > question.max_groups) {
    groups.resize(question.max_groups);
    report.complete = false;
  }
  report.complete &= find_committed(client, *partitions, timeout, groups);
  const auto ends = find_ends(client, *partitions, timeout);
  report.complete &= ends.size() == partitions->size();
  for (const auto& partition : *partitions) {
    PartitionLag line{partition.first, partition.second, value_at(ends, partition)};
    const std::size_t before = report.lines.size();
    for (const auto& group : groups) {
      if (!reads(group, partition.first)) continue;
      line.group = group.name;
      line.state = group.state;
      line.committed = value_at(group.committed, partition);
      report.lines.push_back(line);
    }
    if (report.lines.size() == before) report.lines.push_back(line);
  }
  return report;
}

}  // namespace patchbay::bus
