#include "upstreams/kafka/follower.h"

#include <fmt/format.h>

#include "bus/framing.h"
#include "core/discard.h"
#include "json/read.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMostInVain = 1000;  // Schemas that could not be fetched,
constexpr std::size_t kMostFetching = 64;  // and those that are being fetched at a time.

}  // namespace

KafkaFollower::KafkaFollower(const KafkaPlan& plan, bus::Consumer& consumer,
                             bus::SchemaRegistry* registry)
    : plan_(plan), consumer_(consumer), registry_(registry), reader_(consumer, *this) {}

KafkaFollower::~KafkaFollower() = default;

Task<void> KafkaFollower::stop() {
  consumer_.give_up();
  scope_.cancel();
  auto drained = co_await scope_.drain(kNever);
  drop_waiting();
  first_look_.deliver(ok());
  auto stopped = co_await reader_.stop();
  co_return drained ? stopped : drained;
}

void KafkaFollower::on_unreadable(const std::string& topic, const Error& why) {
  log::Line(log::Level::warn, "topic cannot be read")
      .add("upstream", plan_.name)
      .add("topic", topic)
      .add("why", why.message);
}

Task<void> KafkaFollower::first_look_over() {
  auto looked = co_await first_look_.wait();
  discard(looked, "the first look has ended, whether it worked or not");
  co_return ok();
}

KafkaFollower::Content KafkaFollower::content_of(std::string_view bytes,
                                                 std::optional<std::string_view> header) const {
  auto part = bus::unframe(bytes, header);
  if (!part) return {bytes};
  Content content{part->payload};
  if (!registry_ || part->id.value_or(0) == 0) return content;
  if (const auto schema = registry_->known(*part->id)) {
    if (schema->avro) content.avro = schema->avro->decode(part->payload);
    return content;
  }
  // Objects and texts in JSON are recognised by their first byte.
  const auto type = json::type_of(part->payload);
  const bool is_json = (type == json::Type::object || type == json::Type::string) &&
                       static_cast<bool>(json::check(part->payload));
  if (!is_json) content.unknown = part->id;
  return content;
}

bool KafkaFollower::learn(int schema) {
  const auto tried = in_vain_.find(schema);
  if (tried != in_vain_.end() && here().now() < tried->second) return false;
  if (fetching_.contains(schema)) return true;
  if (fetching_.size() >= kMostFetching) return false;
  fetching_.insert(schema);
  scope_.spawn(fetch(schema));
  return true;
}

Task<void> KafkaFollower::fetch(int schema) {
  auto found = co_await registry_->by_id(schema, here().now() + plan_.settings.lookup_time);
  fetching_.erase(schema);
  if (!found && found.error().code == Code::cancelled) co_return found.error();
  if (found) {
    in_vain_.erase(schema);
  } else {
    log::Line(log::Level::warn, "records name a schema that cannot be fetched")
        .add("upstream", plan_.name)
        .add("why", found.error().message);
    if (in_vain_.size() >= kMostInVain) in_vain_.erase(in_vain_.begin());
    in_vain_[schema] = here().now() + plan_.settings.retry;
  }
  on_learned();
  co_return ok();
}

Task<AgentSchema> KafkaFollower::find_schema(std::string subject, Deadline deadline) {
  if (!registry_) co_return AgentSchema();
  auto found = co_await registry_->latest(subject, deadline);
  if (!found && found.error().code == Code::not_found) co_return AgentSchema();
  if (!found) co_return found.error();
  if (!(*found)->compiled) {
    co_return Error{Code::unavailable,
                    fmt::format("the schema of {} cannot be used: {}", subject, (*found)->problem)};
  }
  co_return *std::move(found);
}

}  // namespace patchbay::upstreams
