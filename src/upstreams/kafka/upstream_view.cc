// The part of the KafkaUpstream for the people who look after its bus.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "async/hop.h"
#include "bus/avro/avro.h"
#include "bus/framing.h"
#include "core/base64.h"
#include "json/read.h"
#include "json/write.h"
#include "upstreams/kafka/upstream.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kLagIsFresh = std::chrono::seconds(1);
constexpr std::size_t kMaxText = 16 << 10;  // Bytes of a value, a key or a header.

// A key or a value for people.
struct Part {
  std::optional<std::string> text = {};  // Nothing: there is none.
  std::string schema = {};               // Its id or GUID, if it names one.
  std::string problem = {};              // Why it is listed as it was sent.
};

// Bytes as a value of JSON: a document as it is, other text as a string, the rest in base64.
std::string json_of(std::string_view bytes, bool is_document) {
  if (is_document && bytes.size() <= kMaxText && json::check(bytes)) return std::string(bytes);
  if (!json::is_utf8(bytes)) {
    return fmt::format(R"({{"base64":"{}"}})", base64_encode(bytes.substr(0, kMaxText)));
  }
  if (bytes.size() <= kMaxText) return json::quote(bytes);
  std::size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(bytes[end]) & 0xC0U) == 0x80U) --end;
  return json::quote(bytes.substr(0, end));
}

void add_part(json::Object& object, std::string_view name, const Part& part) {
  object.raw(name, part.text ? json_of(*part.text, true) : "null");
  if (part.text && part.text->size() > kMaxText) {
    object.raw(fmt::format("{}_bytes", name), std::to_string(part.text->size()));
  }
  if (!part.schema.empty()) object.raw(fmt::format("{}_schema", name), json::quote(part.schema));
  if (!part.problem.empty()) {
    object.raw(fmt::format("{}_problem", name), json::quote(part.problem));
  }
}

std::string record_json(const bus::StoredRecord& record, const Part& key, const Part& value) {
  const bus::OwnedMessage& message = record.message;
  std::string text;
  json::Object object(text);
  object.raw("partition", std::to_string(message.partition));
  object.raw("offset", std::to_string(message.offset));
  object.raw("timestamp_ms", std::to_string(record.timestamp));
  add_part(object, "key", key);
  add_part(object, "value", value);
  std::string headers;
  for (const auto& [name, content] : message.headers) {
    headers += fmt::format("{}[{},{}]", headers.empty() ? "" : ",", json_of(name, false),
                           json_of(content, false));
  }
  object.raw("headers", "[" + headers + "]");
  object.end();
  return text;
}

Task<Part> read_part(KafkaCoordinator& coordinator, const std::optional<std::string>& bytes,
                     std::optional<std::string_view> header, Deadline deadline) {
  if (!bytes) co_return Part();
  auto unframed = bus::unframe(*bytes, header);
  if (!unframed) co_return Part{*bytes, "", unframed.error().message};
  if (unframed->bare()) co_return Part{*bytes};
  Part part{std::string(unframed->payload)};
  part.schema = unframed->id ? std::to_string(*unframed->id) : unframed->guid;
  auto schema =
      co_await coordinator.find_schema(unframed->id.value_or(0), unframed->guid, deadline);
  if (!schema) {
    if (schema.error().code == Code::cancelled) co_return schema.error();
    part.problem = schema.error().message;
  } else if (*schema && (*schema)->avro) {
    auto decoded = (*schema)->avro->decode(*part.text);
    if (decoded) part.text = *std::move(decoded);
    if (!decoded) part.problem = decoded.error().message;
  }
  co_return part;
}

}  // namespace

std::vector<gateway::BusTopic> KafkaUpstream::topics_here() const {
  std::vector<gateway::BusTopic> topics{{plan_.registry_topic, "registry"}};
  const auto add = [&topics](const std::string& name, std::string_view role,
                             const std::string& agent) {
    const bool known = std::ranges::any_of(topics, [&](const gateway::BusTopic& one) {
      return one.name == name && one.role == role && one.agent == agent;
    });
    if (!name.empty() && !known) topics.push_back({name, role, agent});
  };
  for (const auto& line : coordinator_.lines()) {
    const bus::Registration& agent = line.registration;
    add(agent.request_topic, agent.from_topic ? "content" : "request", agent.name);
    add(agent.response_topic, "response", agent.name);
  }
  for (const auto& [name, topic] : plan_.settings.topics) add(topic.topic, "configured", "");
  return topics;
}

Task<gateway::BusReport> KafkaUpstream::bus_report() {
  auto there = [this]() -> Task<gateway::BusReport> {
    const KafkaCounters& counters = shared_.counters;
    co_return gateway::BusReport{.unsent = coordinator_.unsent(),
                                 .unread = coordinator_.unread(),
                                 .late = counters.late->value(),
                                 .duplicate = counters.duplicate->value(),
                                 .foreign = counters.foreign->value(),
                                 .misplaced = counters.misplaced->value(),
                                 .unreadable = counters.unreadable->value(),
                                 .surplus = counters.surplus->value(),
                                 .topics = topics_here()};
  };
  co_return co_await hop<gateway::BusReport>(coordinator_.loop(), there);
}

Task<std::vector<std::string>> KafkaUpstream::last_records(std::string topic, std::size_t count,
                                                           Deadline deadline) {
  auto there = [this, &topic, count, deadline] { return records_here(topic, count, deadline); };
  co_return co_await hop<std::vector<std::string>>(coordinator_.loop(), there);
}

Task<gateway::BusLag> KafkaUpstream::bus_lag() {
  auto there = [this] { return lag_here(); };
  co_return co_await hop<gateway::BusLag>(coordinator_.loop(), there);
}

// Several pages that are open at once cost no more than one.
Task<gateway::BusLag> KafkaUpstream::lag_here() {
  if (!looking_up_.empty()) {
    auto waited = co_await looking_up_.wait_empty();
    if (!waited) co_return waited.error();
    co_return lag_;
  }
  if (here().now() < lag_until_) co_return lag_;
  const Gate::Pass pass(looking_up_);
  auto looking = look_up_lag();
  lag_ = co_await looking;
  lag_until_ = here().now() + kLagIsFresh;
  co_return lag_;
}

Task<gateway::BusLag> KafkaUpstream::look_up_lag() {
  std::map<std::string, std::string> agents;
  std::vector<std::string> topics;
  for (const auto& topic : topics_here()) {
    if (topic.role != "request" || !agents.emplace(topic.name, topic.agent).second) continue;
    topics.push_back(topic.name);
  }
  auto looking = coordinator_.agent_lag(topics);
  auto found = co_await looking;
  if (!found) co_return found.error();
  gateway::BusLag lag{{}, std::move(found->why), found->complete};
  for (auto& line : found->lines) {
    lag.lines.push_back({line.topic, agents[line.topic], line.partition, line.end,
                         std::move(line.group), std::move(line.state), line.committed});
  }
  co_return lag;
}

// Only topics that this upstream uses: its credentials may open others.
Task<std::vector<std::string>> KafkaUpstream::records_here(const std::string& topic,
                                                           std::size_t count, Deadline deadline) {
  const auto topics = topics_here();
  if (std::ranges::find(topics, topic, &gateway::BusTopic::name) == topics.end()) {
    co_return Error{Code::not_found, fmt::format("'{}' uses no topic '{}'", plan_.name, topic)};
  }
  auto records = co_await coordinator_.last_records(topic, count, deadline);
  if (!records) co_return records.error();
  std::vector<std::string> listed;
  for (const auto& record : *records) {
    const bus::OwnedMessage& message = record.message;
    auto key = co_await read_part(coordinator_, message.key, message.header(bus::kKeySchemaHeader),
                                  deadline);
    if (!key) co_return key.error();
    auto value = co_await read_part(coordinator_, message.value,
                                    message.header(bus::kValueSchemaHeader), deadline);
    if (!value) co_return value.error();
    listed.push_back(record_json(record, *key, *value));
  }
  co_return listed;
}

}  // namespace patchbay::upstreams
