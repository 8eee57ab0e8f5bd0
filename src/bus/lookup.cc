#include "bus/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

namespace patchbay::bus {
namespace {

// A topic that a look-up creates appears a moment later.
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr auto kAppears = std::chrono::seconds(2);

constexpr std::int64_t kSlice = 500;

// Whether a retry may succeed: nobody has answered, or the broker is not the right one yet. A new
// topic, or one whose leader has died, has no leader for a moment.
bool may_pass(rd_kafka_resp_err_t answer) {
  switch (answer) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
      return true;
    default:
      return false;
  }
}

// Retries while the answer may change and somebody waits for it.
template <class Question>
rd_kafka_resp_err_t ask_until(const Timeout& timeout, Question question) {
  for (;;) {
    const rd_kafka_resp_err_t answer = question(timeout.slice());
    if (!may_pass(answer) || timeout.is_over()) return answer;
    // A refusal is final.
    std::this_thread::sleep_for(kPause);
  }
}

struct MetadataFreer {
  void operator()(const struct rd_kafka_metadata* data) const { rd_kafka_metadata_destroy(data); }
};

// One attempt; the error of the topic itself is in `topic_error`.
Result<std::vector<std::int32_t>> ask(rd_kafka_t* client, rd_kafka_topic_t* topic,
                                      const Timeout& timeout, rd_kafka_resp_err_t& topic_error) {
  const struct rd_kafka_metadata* data = nullptr;
  const auto failed = ask_until(
      timeout, [&](int time) { return rd_kafka_metadata(client, 0, topic, &data, time); });
  if (failed) return error_of(failed, "cannot query the bus");
  const std::unique_ptr<const struct rd_kafka_metadata, MetadataFreer> owner(data);
  std::vector<std::int32_t> partitions;
  topic_error = data->topic_cnt == 1 ? data->topics[0].err : RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
  if (topic_error) return partitions;
  for (int i = 0; i < data->topics[0].partition_cnt; ++i) {
    partitions.push_back(data->topics[0].partitions[i].id);
  }
  return partitions;
}

struct NewTopicFreer {
  void operator()(rd_kafka_NewTopic_t* topic) const { rd_kafka_NewTopic_destroy(topic); }
};

// REQUIRES: there is a controller.
Result<void> create(rd_kafka_t* client, const NewTopic& topic, const Timeout& timeout) {
  std::array<char, 512> why{};
  const std::unique_ptr<rd_kafka_NewTopic_t, NewTopicFreer> wanted(rd_kafka_NewTopic_new(
      topic.name.c_str(), topic.partitions, -1 /* as the broker likes */, why.data(), why.size()));
  if (!wanted) return Error{Code::invalid_params, why.data()};
  if (topic.compacted) rd_kafka_NewTopic_set_config(wanted.get(), "cleanup.policy", "compact");
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client));
  rd_kafka_NewTopic_t* topics[] = {wanted.get()};
  rd_kafka_CreateTopics(client, topics, 1, nullptr, queue.get());
  Owned<rd_kafka_event_t> event;
  while (!event && !timeout.is_over()) {
    event.reset(rd_kafka_queue_poll(queue.get(), timeout.slice()));
  }
  const std::string what = fmt::format("cannot create the topic {}", topic.name);
  if (!event) return error_of(RD_KAFKA_RESP_ERR__TIMED_OUT, what);
  if (const auto failed = rd_kafka_event_error(event.get())) return error_of(failed, what);
  std::size_t count = 0;
  const auto* const* const results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  const auto failed =
      count == 1 ? rd_kafka_topic_result_error(results[0]) : RD_KAFKA_RESP_ERR_NO_ERROR;
  if (!failed || failed == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return ok();
  return error_of(failed, what);
}

// Whether it is the mock broker of librdkafka. REQUIRES: there was a request before.
bool is_embedded(rd_kafka_t* client) {
  char* const id = rd_kafka_clusterid(client, 0);
  const bool embedded = id && std::string_view(id).starts_with("mockCluster");
  if (id) rd_kafka_mem_free(client, id);
  return embedded;
}

// The names of all topics. Listing all creates none.
Result<std::vector<std::string>> topic_names(rd_kafka_t* client, const Timeout& timeout) {
  const struct rd_kafka_metadata* data = nullptr;
  const auto failed = ask_until(
      timeout, [&](int time) { return rd_kafka_metadata(client, 1, nullptr, &data, time); });
  if (failed) return error_of(failed, "cannot query the bus");
  const std::unique_ptr<const struct rd_kafka_metadata, MetadataFreer> owner(data);
  std::vector<std::string> names;
  for (int i = 0; i < data->topic_cnt; ++i) names.emplace_back(data->topics[i].topic);
  return names;
}

}  // namespace

int Timeout::slice() const {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 1, kSlice));
}

Result<void> ensure_topic(rd_kafka_t* client, const NewTopic& topic, const Timeout& timeout) {
  auto there = topic_names(client, timeout);
  if (!there) return there.error();
  if (std::ranges::find(*there, topic.name) != there->end()) return ok();
  if (!is_embedded(client)) {
    auto created = create(client, topic, timeout);
    if (!created) return created;
  }
  auto partitions = find_partitions(client, topic.name, timeout);
  if (!partitions) return partitions.error();
  return ok();
}

Result<std::vector<GroupLag>> find_lag(rd_kafka_t* client, std::vector<std::string> topics,
                                       const Timeout& timeout) {
  const bool all = topics.empty();
  if (all) {
    auto names = topic_names(client, timeout);
    if (!names) return names.error();
    topics = *std::move(names);
  }
  std::vector<GroupLag> lines;
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(16));
  for (const auto& topic : topics) {
    auto ends = find_ends(client, topic, timeout);
    if (!ends) return ends.error();
    for (const auto& [partition, first, end] : *ends) {
      rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
      lines.push_back({topic, partition, first, end});
    }
  }
  const auto failed =
      ask_until(timeout, [&](int time) { return rd_kafka_committed(client, list.get(), time); });
  if (failed) return error_of(failed, "cannot query the offsets of the group");
  std::vector<GroupLag> committed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto offset = list->elems[i].offset;
    // A group without a commit starts at the oldest record.
    if (offset >= 0) lines[i].committed = offset;
    if (offset >= 0 || !all) committed.push_back(lines[i]);
  }
  return committed;
}

Result<std::vector<std::int32_t>> find_partitions(rd_kafka_t* client, const std::string& topic,
                                                  const Timeout& timeout) {
  const Owned<rd_kafka_topic_t> handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const Deadline appears = std::min(timeout.deadline, Clock::now() + kAppears);
  for (;;) {
    rd_kafka_resp_err_t why = RD_KAFKA_RESP_ERR_NO_ERROR;
    auto found = ask(client, handle.get(), timeout, why);
    if (!found || (!why && !found->empty())) return found;
    const bool may_come = !why || why == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
                          why == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
                          why == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    if (!may_come) return error_of(why, fmt::format("topic {}", topic));
    if (Clock::now() + kPause > appears || timeout.is_over()) {
      return Error{Code::not_found, fmt::format("the bus has no topic {}", topic)};
    }
    std::this_thread::sleep_for(kPause);
  }
}

Result<std::vector<PartitionEnds>> find_ends(rd_kafka_t* client, const std::string& topic,
                                             const Timeout& timeout) {
  auto partitions = find_partitions(client, topic, timeout);
  if (!partitions) return partitions.error();
  std::vector<PartitionEnds> ends;
  for (const auto partition : *partitions) {
    PartitionEnds one{.partition = partition};
    const auto failed = ask_until(timeout, [&](int time) {
      return rd_kafka_query_watermark_offsets(client, topic.c_str(), partition, &one.first,
                                              &one.end, time);
    });
    if (failed) return error_of(failed, fmt::format("cannot query the end of {}", topic));
    ends.push_back(one);
  }
  return ends;
}

}  // namespace patchbay::bus
