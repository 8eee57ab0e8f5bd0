// A KafkaTable is the stored content of a topic that is read as a whole: the latest record of each
// key, and the newest records in the order of arrival. Bounded; the oldest is removed.
//
// Confined to one thread, otherwise pure.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::upstreams {

struct StoredRecord {
  std::string key;  // As text: the content of the frame, if there is one.
  std::string value;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp = -1;
};

class KafkaTable {
 public:
  struct Limits {
    std::size_t newest = 100;
    std::size_t keys = 100'000;
    std::size_t bytes = 64 << 20;
  };

  explicit KafkaTable(Limits limits) : limits_(limits) {}

  void put(StoredRecord record);
  void remove(const std::string& key);

  // The latest record of that key; null if there is none.
  const StoredRecord* find(std::string_view key) const;

  // The newest records, the oldest of them first.
  const std::deque<StoredRecord>& newest() const { return newest_; }

  std::size_t keys() const { return by_key_.size(); }

 private:
  void drop_oldest();
  static std::size_t cost(const StoredRecord& record) {
    return record.key.size() + record.value.size() + 128;
  }

  const Limits limits_;
  std::list<StoredRecord> latest_;  // One per key, in the order in which they were first put.
  std::map<std::string, std::list<StoredRecord>::iterator, std::less<>> by_key_;
  std::deque<StoredRecord> newest_;
  std::size_t bytes_ = 0;         // Total size of the latest records.
  std::size_t newest_bytes_ = 0;  // Total size of the newest records.
};

}  // namespace patchbay::upstreams
