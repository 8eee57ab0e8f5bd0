#include "upstreams/kafka/topics.h"

#include <fmt/format.h>

#include <algorithm>

#include "bus/correlation.h"
#include "bus/framing.h"
#include "core/base64.h"
#include "core/discard.h"
#include "json/read.h"
#include "json/schema/embed.h"
#include "json/write.h"
#include "mcp/reply.h"
#include "net/http/syntax/percent.h"
#include "observe/log.h"
#include "upstreams/kafka/reply.h"

namespace patchbay::upstreams {
namespace {

// A key as text: a text unchanged, and of an object with one member that member.
std::string key_text(std::string_view payload) {
  if (!json::check(payload)) {
    return json::is_utf8(payload) ? std::string(payload) : base64_encode(payload);
  }
  if (auto text = json::as_string(payload)) return *std::move(text);
  if (json::type_of(payload) != json::Type::object) return std::string(payload);
  std::string_view only;
  int members = 0;
  json::each_member(payload, [&](std::string_view, std::string_view raw) {
    only = raw;
    ++members;
  });
  auto text = json::as_string(only);
  return members == 1 && text ? *std::move(text) : std::string(payload);
}

// A value as JSON, whatever its format.
std::string value_json(std::string_view value) {
  if (json::check(value)) return std::string(value);
  if (json::is_utf8(value)) return json::quote(value);
  return fmt::format(R"({{"base64":"{}"}})", base64_encode(value));
}

// A value in Avro that cannot be read.
std::string unreadable_json(const Error& why, std::string_view bytes) {
  return fmt::format(R"({{"unreadable":{},"base64":"{}"}})", json::quote(why.message),
                     base64_encode(bytes));
}

std::string record_json(const StoredRecord& record) {
  std::string text;
  json::Object object(text);
  object.raw("key", record.key.empty() ? "null" : json::quote(record.key));
  object.raw("value", value_json(record.value));
  object.raw("partition", std::to_string(record.partition));
  object.raw("offset", std::to_string(record.offset));
  if (record.timestamp >= 0) object.raw("timestamp", std::to_string(record.timestamp));
  object.end();
  return text;
}

mcp::Reply contents(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return mcp::scanned_reply(fmt::format(R"({{"contents":[{{"uri":{},"mimeType":{},"text":{}}}]}})",
                                        json::quote(uri), json::quote(mime_type),
                                        json::quote(text)));
}

std::string produce_schema(const TopicOffer& offer) {
  const std::string value =
      offer.schema ? json::moved_schema(offer.schema->text, "#/properties/value", offer.name)
                   : "true";
  return fmt::format(
      R"({{"type":"object","properties":{{"key":{{"type":"string",)"
      R"("description":"What the record is about; records of one key stay in order."}},)"
      R"("value":{},"headers":{{"type":"object","additionalProperties":{{"type":"string"}}}}}},)"
      R"("required":["value"],"additionalProperties":false}})",
      value);
}

}  // namespace

void add_items(const TopicOffer& offer, mcp::ItemLists& items) {
  const std::string& topic = offer.settings.topic;
  const auto described = [&](std::string_view otherwise) {
    return json::quote(offer.settings.description.empty() ? otherwise : offer.settings.description);
  };
  if (offer.settings.produce) {
    mcp::Item tool{offer.name, ""};
    json::Object object(tool.definition);
    object.raw("name", json::quote(offer.name));
    object.raw("description", described(fmt::format("Puts a record into the topic {}.", topic)));
    object.raw("inputSchema", produce_schema(offer));
    object.raw("outputSchema", R"({"type":"object","properties":{"topic":{"type":"string"},)"
                               R"("partition":{"type":"integer"},"offset":{"type":"integer"}},)"
                               R"("required":["topic","partition","offset"]})");
    object.end();
    mcp::of(items, mcp::ItemKind::tool).push_back(std::move(tool));
  }
  if (!offer.settings.read) return;
  for (const bool by_key : {false, true}) {
    const auto kind = by_key ? mcp::ItemKind::resource_template : mcp::ItemKind::resource;
    mcp::Item item{by_key ? offer.uri + "/{key}" : offer.uri, ""};
    json::Object object(item.definition);
    object.raw("name", json::quote(by_key ? offer.name + " by key" : offer.name));
    object.raw(mcp::info(kind).key, json::quote(item.key));
    object.raw("description",
               by_key ? json::quote(fmt::format("The latest record of a key in {}.", topic))
                      : described(fmt::format("The newest records of the topic {}.", topic)));
    object.raw("mimeType", "\"application/json\"");
    object.end();
    mcp::of(items, kind).push_back(std::move(item));
  }
}

// Only a key in Avro is framed. The schema decides its form: the text itself, its value as JSON, or
// an object with the text as its only member, whichever matches first.
Result<std::string> topic_key(const TopicOffer& offer, std::string_view key) {
  const AgentSchema& schema = offer.key_schema;
  if (!schema || !schema->avro) return std::string(key);
  auto text = bus::written_by(schema, json::quote(key));
  if (text) return text;
  if (json::check(key)) {
    auto stated = bus::written_by(schema, std::string(key));
    if (stated) return stated;
  }
  std::string object;
  json::each_member(json::member(schema->text, "properties").value_or("{}"),
                    [&](std::string_view name, std::string_view) {
                      if (object.empty()) object = bus::key_of(name, key);
                    });
  auto only = bus::written_by(schema, object.empty() ? json::quote(key) : object);
  if (only) return only;
  return Error{Code::invalid_params, fmt::format("the key does not match its Avro schema {}: {}",
                                                 schema->text, only.error().message)};
}

Result<std::string> topic_value(const TopicOffer& offer, std::string_view value) {
  return bus::written_by(offer.schema, std::string(value));
}

KafkaTopics::KafkaTopics(const KafkaPlan& plan, bus::Consumer& consumer,
                         bus::SchemaRegistry* registry, Events& events)
    : KafkaFollower(plan, consumer, registry), events_(events) {}

KafkaTopics::~KafkaTopics() = default;

Task<void> KafkaTopics::start() {
  if (plan_.settings.topics.empty()) co_return ok();
  scope_.spawn(keep_resolving());
  co_return co_await first_look_over();
}

Task<void> KafkaTopics::keep_resolving() {
  for (;;) {
    auto resolved = co_await resolve();
    discard(resolved, "problems_ has what failed");
    first_look_.deliver(ok());
    const auto pause = problems_.empty() ? plan_.settings.refresh : plan_.settings.retry;
    auto slept = co_await sleep_until(here().now() + pause);
    if (!slept) co_return slept;
  }
}

Task<void> KafkaTopics::resolve() {
  bool changed = false;
  for (const auto& [name, settings] : plan_.settings.topics) {
    auto offer = co_await resolve_one(name, settings);
    if (!offer) {
      auto& problem = problems_[name];
      if (problem != offer.error().message) {
        problem = offer.error().message;
        log::Line(log::Level::warn, "topic not usable")
            .add("upstream", plan_.name)
            .add("name", name)
            .add("why", problem);
      }
      continue;
    }
    problems_.erase(name);
    const auto known = std::ranges::find(offers_, name, [](const auto& one) { return one->name; });
    if (known == offers_.end()) {
      offers_.push_back(*std::move(offer));
    } else if ((*known)->schema == (*offer)->schema &&
               (*known)->key_schema == (*offer)->key_schema) {
      continue;
    } else {
      *known = *std::move(offer);
    }
    changed = true;
  }
  if (changed && first_look_.delivered()) events_.on_offers_changed();
  co_return ok();
}

Task<std::shared_ptr<const TopicOffer>> KafkaTopics::resolve_one(std::string name,
                                                                 TopicSettings settings) {
  const Deadline deadline = here().now() + plan_.settings.lookup_time;
  if (settings.topic.empty()) settings.topic = name;
  auto schema = co_await find_schema(settings.topic + "-value", deadline);
  if (!schema) co_return schema.error();
  auto key_schema = co_await find_schema(settings.topic + "-key", deadline);
  if (!key_schema) co_return key_schema.error();
  TopicOffer offer{name, settings, fmt::format("kafka://{}/{}", plan_.name, name),
                   *std::move(schema), *std::move(key_schema)};
  if (settings.read) {
    auto followed = co_await follow(settings.topic, deadline);
    if (!followed) co_return followed.error();
    topics_.find(settings.topic)->second.uri = offer.uri;
  }
  co_return std::make_shared<const TopicOffer>(std::move(offer));
}

Task<void> KafkaTopics::follow(std::string topic, Deadline deadline) {
  if (!topics_.contains(topic)) {
    KafkaTable::Limits limits{1, static_cast<std::size_t>(plan_.settings.limits.topic_keys),
                              plan_.settings.limits.topic_bytes.value};
    for (const auto& [name, settings] : plan_.settings.topics) {
      const bool this_one = (settings.topic.empty() ? name : settings.topic) == topic;
      if (this_one) limits.newest = static_cast<std::size_t>(settings.keep);
    }
    topics_.emplace(topic, Topic{KafkaTable(limits)});
  }
  co_return co_await reader_.follow(topic, bus::Reader::From::beginning, deadline);
}

Task<void> KafkaTopics::leave(std::string topic) {
  const auto found = topics_.find(topic);
  if (found == topics_.end() || !found->second.uri.empty()) co_return ok();
  topics_.erase(found);
  co_return co_await reader_.leave(topic);
}

void KafkaTopics::on_records(std::vector<bus::Record> records) {
  for (auto& record : records) {
    const auto found = topics_.find(record.topic());
    if (found == topics_.end()) continue;
    Topic& topic = found->second;
    if (topic.waiting.empty() && take(topic, record, true)) continue;
    topic.waiting.push_back(std::move(record));
    if (topic.waiting.size() <= most_waiting()) continue;
    take(topic, topic.waiting.front(), false);
    topic.waiting.pop_front();
  }
}

void KafkaTopics::on_learned() {
  for (auto& [name, topic] : topics_) {
    while (!topic.waiting.empty() && take(topic, topic.waiting.front(), true)) {
      topic.waiting.pop_front();
    }
  }
}

void KafkaTopics::drop_waiting() {
  for (auto& [name, topic] : topics_) topic.waiting.clear();
}

// False if it must wait for a schema.
bool KafkaTopics::take(Topic& topic, const bus::Record& record, bool may_wait) {
  StoredRecord stored{"", "", record.partition(), record.offset(), record.timestamp()};
  const auto must_wait = [&](const Content& content) {
    return may_wait && content.unknown && learn(*content.unknown);
  };
  if (const auto bytes = record.key()) {
    const Content content = content_of(*bytes, record.header(bus::kKeySchemaHeader));
    if (must_wait(content)) return false;
    stored.key = key_text(content.text());
  }
  const std::string key = stored.key;
  if (const auto bytes = record.value()) {
    const Content content = content_of(*bytes, record.header(bus::kValueSchemaHeader));
    if (must_wait(content)) return false;
    const bool broken = content.avro && !*content.avro;
    stored.value =
        broken ? unreadable_json(content.avro->error(), content.payload) : content.text();
    topic.table.put(std::move(stored));
  } else {
    topic.table.remove(key);
  }
  notify(topic, key);
  return true;
}

// Notifies subscribers.
void KafkaTopics::notify(const Topic& topic, const std::string& key) {
  if (topic.uri.empty()) return events_.on_updated(key);
  events_.on_updated(topic.uri);
  if (!key.empty()) events_.on_updated(topic.uri + "/" + net::percent_encode(key));
}

Result<mcp::Reply> KafkaTopics::read(std::string_view uri) const {
  for (const auto& offer : offers_) {
    if (!offer->settings.read || !uri.starts_with(offer->uri)) continue;
    const auto found = topics_.find(offer->settings.topic);
    if (found == topics_.end()) break;
    const KafkaTable& table = found->second.table;
    if (uri == offer->uri) {
      std::string list = "[";
      for (const auto& record : table.newest()) {
        list += (list.size() > 1 ? "," : "") + record_json(record);
      }
      return contents(uri, "application/json", list + "]");
    }
    if (uri[offer->uri.size()] != '/') continue;
    auto key = net::percent_decode(uri.substr(offer->uri.size() + 1));
    if (!key) return Error{Code::invalid_params, key.error().message};
    const StoredRecord* const record = table.find(*key);
    if (!record) break;
    return contents(uri, "application/json", value_json(record->value));
  }
  return Error{Code::resource_not_found, "there is no such record"};
}

Result<mcp::Reply> KafkaTopics::read(const KafkaOffer& offer, std::string_view uri,
                                     bool keeps_null) const {
  const auto found = topics_.find(offer.registration.response_topic);
  const StoredRecord* record = nullptr;
  if (found != topics_.end()) record = found->second.table.find(uri);
  if (!record) return Error{Code::resource_not_found, "there is no record of this resource"};
  const bool shaped = json::check(record->value) &&
                      (json::member(record->value, "text") || json::member(record->value, "blob"));
  if (shaped) {
    return resource_result(record->value, uri, offer.registration.mime_type, keeps_null);
  }
  if (json::is_utf8(record->value)) {
    return contents(uri, offer.registration.mime_type, record->value);
  }
  return resource_result(
      fmt::format(R"({{"type":"blob","blob":"{}"}})", base64_encode(record->value)), uri,
      offer.registration.mime_type, keeps_null);
}

void KafkaTopics::list_left_out(gateway::LeftOut& to) const {
  for (const auto& [name, why] : problems_) {
    const auto same = [&name](const auto& one) { return one->name == name; };
    if (std::ranges::none_of(offers_, same)) to.add(std::nullopt, name, why);
  }
}

std::string KafkaTopics::problems() const {
  std::string text;
  for (const auto& [name, why] : problems_) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, why);
  }
  return text;
}

}  // namespace patchbay::upstreams
