#include "upstreams/kafka_follower.h"

#include <fmt/format.h>

#include "observe/log.h"

namespace patchbay::upstreams {

KafkaFollower::KafkaFollower(const KafkaPlan& plan, bus::Consumer& consumer,
                             bus::SchemaRegistry* registry)
    : plan_(plan), consumer_(consumer), registry_(registry), reader_(consumer, *this) {}

KafkaFollower::~KafkaFollower() = default;

Task<void> KafkaFollower::stop() {
  consumer_.give_up();
  scope_.cancel();
  auto drained = co_await scope_.drain(kNever);
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
  (void)looked;
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
