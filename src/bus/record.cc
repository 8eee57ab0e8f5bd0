#include "bus/record.h"

#include "bus/rdkafka.h"

namespace patchbay::bus {
namespace {

std::optional<std::string_view> bytes(const void* data, std::size_t size) {
  if (!data) return std::nullopt;
  return std::string_view(static_cast<const char*>(data), size);
}

}  // namespace

void Record::Freer::operator()(rd_kafka_message_s* message) const {
  rd_kafka_message_destroy(message);
}

std::string_view Record::topic() const {
  return message_->rkt ? rd_kafka_topic_name(message_->rkt) : "";
}

std::int32_t Record::partition() const { return message_->partition; }
std::int64_t Record::offset() const { return message_->offset; }

std::int64_t Record::timestamp() const {
  rd_kafka_timestamp_type_t type{};
  const auto time = rd_kafka_message_timestamp(message_.get(), &type);
  return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? -1 : time;
}

std::optional<std::string_view> Record::key() const {
  return bytes(message_->key, message_->key_len);
}

std::optional<std::string_view> Record::value() const {
  return bytes(message_->payload, message_->len);
}

rd_kafka_headers_s* Record::headers() const {
  if (!headers_) {
    rd_kafka_headers_t* found = nullptr;
    headers_ = rd_kafka_message_headers(message_.get(), &found) ? nullptr : found;
  }
  return *headers_;
}

std::optional<std::string_view> Record::header(const char* name) const {
  if (!headers()) return std::nullopt;
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_header_get_last(headers(), name, &value, &size)) return std::nullopt;
  return bytes(value, size);
}

std::optional<std::string_view> OwnedMessage::header(std::string_view name) const {
  for (auto one = headers.rbegin(); one != headers.rend(); ++one) {
    if (one->first == name) return one->second;
  }
  return std::nullopt;
}

std::size_t OwnedMessage::size() const {
  std::size_t size = sizeof(*this) + topic.size();
  size += (key ? key->size() : 0) + (value ? value->size() : 0);
  for (const auto& [name, content] : headers) size += name.size() + content.size() + 64;
  return size;
}

bool Record::header_at(std::size_t index, std::string_view& name,
                       std::optional<std::string_view>& value) const {
  if (!headers()) return false;
  const char* key = nullptr;
  const void* data = nullptr;
  std::size_t size = 0;
  if (rd_kafka_header_get_all(headers(), index, &key, &data, &size)) return false;
  name = key;
  value = bytes(data, size);
  return true;
}

}  // namespace patchbay::bus
