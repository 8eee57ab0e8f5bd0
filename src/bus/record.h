// A Record is one record of a topic: as received, in librdkafka's memory, or to be sent. Values
// only; a received Record may be read on any thread, by one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct rd_kafka_headers_s;
struct rd_kafka_message_s;

namespace patchbay::bus {

class Record {
 public:
  // Owns the message. REQUIRES: the client that received it outlives it.
  explicit Record(rd_kafka_message_s* message) : message_(message) {}

  std::string_view topic() const;
  std::int32_t partition() const;
  std::int64_t offset() const;
  std::int64_t timestamp() const;  // In milliseconds since 1970; -1 if unknown.
  std::optional<std::string_view> key() const;
  std::optional<std::string_view> value() const;  // Nothing: a tombstone.

  // The last header of that name.
  std::optional<std::string_view> header(const char* name) const;

  // Calls `visit(name, value)` for each header in order; a value may be absent.
  template <class Visit>
  void each_header(Visit visit) const {
    std::string_view name;
    std::optional<std::string_view> value;
    for (std::size_t i = 0; header_at(i, name, value); ++i) visit(name, value);
  }

 private:
  struct Freer {
    void operator()(rd_kafka_message_s* message) const;
  };
  bool header_at(std::size_t index, std::string_view& name,
                 std::optional<std::string_view>& value) const;

  rd_kafka_headers_s* headers() const;

  std::unique_ptr<rd_kafka_message_s, Freer> message_;
  // Null: none. Cached, since librdkafka searches each time.
  mutable std::optional<rd_kafka_headers_s*> headers_;
};

// A copy of a record, for longer processing.
struct OwnedMessage {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::string>> headers;

  // The last header of that name.
  std::optional<std::string_view> header(std::string_view name) const;

  // Approximate size in bytes.
  std::size_t size() const;
};

struct Header {
  const char* name;
  std::string_view value;
};

// A record to be sent. Sending copies everything.
struct Outgoing {
  std::string_view topic;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;  // Nothing: a tombstone.
  std::span<const Header> headers = {};
  std::int32_t partition = -1;  // -1: by the key.
};

// Where a record was stored.
struct RecordMetadata {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp = -1;
};

}  // namespace patchbay::bus
