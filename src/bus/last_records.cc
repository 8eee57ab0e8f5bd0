#include "bus/last_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace patchbay::bus {
namespace {

struct MessageFreer {
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
};

// Reads partitions of a topic into one queue, and stops when it ends.
class Reading {
 public:
  Reading(rd_kafka_t* client, const std::string& topic)
      : topic_(rd_kafka_topic_new(client, topic.c_str(), nullptr)),
        queue_(rd_kafka_queue_new(client)) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    for (const auto& [partition, end] : ends_) rd_kafka_consume_stop(topic_.get(), partition);
  }

  bool start(std::int32_t partition, std::int64_t from, std::int64_t end) {
    if (!topic_) return false;
    if (rd_kafka_consume_start_queue(topic_.get(), partition, from, queue_.get())) return false;
    ends_[partition] = end;
    left_ += end > from;
    next_[partition] = from;
    return true;
  }

  bool done() const { return left_ == 0; }

  std::unique_ptr<rd_kafka_message_t, MessageFreer> next(int milliseconds) {
    std::unique_ptr<rd_kafka_message_t, MessageFreer> message(
        rd_kafka_consume_queue(queue_.get(), milliseconds));
    if (!message || message->err) return message;
    // Offsets have gaps where records were compacted or belong to a transaction.
    const bool was_left = next_[message->partition] < ends_[message->partition];
    next_[message->partition] = message->offset + 1;
    if (was_left && next_[message->partition] >= ends_[message->partition]) --left_;
    return message;
  }

  // Nothing more comes from that partition.
  void end(std::int32_t partition) {
    if (next_[partition] < ends_[partition]) --left_;
    next_[partition] = ends_[partition];
  }

 private:
  const Owned<rd_kafka_topic_t> topic_;
  const Owned<rd_kafka_queue_t> queue_;
  std::map<std::int32_t, std::int64_t> ends_;
  std::map<std::int32_t, std::int64_t> next_;
  int left_ = 0;  // Partitions that have not been read to the end that they had.
};

StoredRecord stored(const std::string& topic, const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type{};
  StoredRecord record{{topic, message.partition, message.offset, std::nullopt, std::nullopt, {}},
                      rd_kafka_message_timestamp(&message, &type)};
  OwnedMessage& copy = record.message;
  if (message.key) copy.key.emplace(static_cast<const char*>(message.key), message.key_len);
  if (message.payload) copy.value.emplace(static_cast<const char*>(message.payload), message.len);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers)) return record;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0; !rd_kafka_header_get_all(headers, i, &name, &value, &size); ++i) {
    copy.headers.emplace_back(name, std::string(static_cast<const char*>(value), size));
  }
  return record;
}

bool is_newer(const StoredRecord& a, const StoredRecord& b) {
  if (a.timestamp != b.timestamp) return a.timestamp > b.timestamp;
  return std::pair(a.message.partition, a.message.offset) >
         std::pair(b.message.partition, b.message.offset);
}

// The newest that are within the bounds.
void keep_newest(std::vector<StoredRecord>& records, const PeekBounds& bounds) {
  std::ranges::sort(records, is_newer);
  std::size_t bytes = 0;
  std::size_t stored = 0;
  while (stored < records.size() && stored < bounds.records) {
    bytes += records[stored].message.size();
    if (bytes > bounds.bytes && stored > 0) break;
    ++stored;
  }
  records.resize(stored);
}

}  // namespace

Result<std::vector<StoredRecord>> last_records(rd_kafka_t* client, const std::string& topic,
                                               const PeekBounds& bounds, const Timeout& timeout) {
  auto ends = find_ends(client, topic, timeout);
  if (!ends) return ends.error();
  Reading reading(client, topic);
  for (const auto& [partition, first, end] : *ends) {
    const auto from = std::max(first, end - static_cast<std::int64_t>(bounds.records));
    if (!reading.start(partition, from, end)) {
      return Error{Code::unavailable, fmt::format("cannot read {} [{}]", topic, partition)};
    }
  }
  std::vector<StoredRecord> records;
  while (!reading.done() && !timeout.is_over()) {
    const auto message = reading.next(timeout.slice());
    if (!message) continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      reading.end(message->partition);
    } else if (message->err) {
      return error_of(message->err, "cannot read " + topic);
    } else {
      records.push_back(stored(topic, *message));
      // Never more in memory than a few times what is returned.
      if (records.size() >= 4 * bounds.records) keep_newest(records, bounds);
    }
  }
  keep_newest(records, bounds);
  return records;
}

}  // namespace patchbay::bus
