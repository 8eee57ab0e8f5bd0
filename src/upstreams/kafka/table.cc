#include "upstreams/kafka/table.h"

namespace patchbay::upstreams {

void KafkaTable::put(StoredRecord record) {
  newest_bytes_ += cost(record);
  newest_.push_back(record);
  while (newest_.size() > limits_.newest || (newest_bytes_ > limits_.bytes && newest_.size() > 1)) {
    newest_bytes_ -= cost(newest_.front());
    newest_.pop_front();
  }
  if (record.key.empty()) return;
  remove(record.key);
  bytes_ += cost(record);
  latest_.push_back(std::move(record));
  by_key_[latest_.back().key] = std::prev(latest_.end());
  while (latest_.size() > limits_.keys || (bytes_ > limits_.bytes && latest_.size() > 1)) {
    drop_oldest();
  }
}

void KafkaTable::remove(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  bytes_ -= cost(*found->second);
  latest_.erase(found->second);
  by_key_.erase(found);
}

void KafkaTable::drop_oldest() {
  bytes_ -= cost(latest_.front());
  by_key_.erase(latest_.front().key);
  latest_.pop_front();
}

const StoredRecord* KafkaTable::find(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &*found->second;
}

}  // namespace patchbay::upstreams
