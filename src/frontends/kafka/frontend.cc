#include "frontends/kafka/frontend.h"

#include <fmt/format.h>

#include <algorithm>

#include "bus/framing.h"
#include "core/discard.h"
#include "frontends/kafka/request.h"
#include "json/read.h"
#include "json/write.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kInput = R"({"type":"object"})";
constexpr std::string_view kTooLarge =
    "the answer is larger than the bus takes; see message.max.bytes";

// Only these characters are valid in the name of a topic.
std::string topic_part(std::string_view name) {
  std::string part(name);
  for (char& c : part) {
    if (!bus::is_topic_name({&c, 1}) && c != '.') c = '_';
  }
  return part;
}

// The schema of replies: an envelope around a result of MCP.
std::string reply_schema(std::string_view output) {
  return fmt::format(
      R"({{"type":"object","title":"Reply","properties":{{"requestIndex":{{"type":"integer"}},)"
      R"("status":{{"type":"string"}},"message":{{"type":"string"}},)"
      R"("payload":{{"type":"object","patchbay.result":"mcp",)"
      R"("properties":{{"content":{{"type":"array"}}{}{}}}}}}},"required":["status"]}})",
      output.empty() ? "" : R"(,"structuredContent":)", output);
}

bus::GroupConsumer::Settings group_settings(const KafkaFrontendSettings& settings) {
  const KafkaFrontendLimits& limits = settings.limits;
  return {.group = settings.group,
          .at_once = static_cast<std::size_t>(limits.at_once),
          .backlog = static_cast<std::size_t>(limits.backlog),
          .backlog_bytes = limits.backlog_bytes.value,
          .handover = limits.handover,
          .leave_time = limits.leave_time};
}

}  // namespace

KafkaFrontend::KafkaFrontend(gateway::McpServer& server, gateway::CatalogView& catalog,
                             bus::Connection connection,
                             std::optional<bus::RegistrySettings> schemas,
                             KafkaFrontendSettings settings)
    : server_(server),
      catalog_(catalog),
      settings_(std::move(settings)),
      producer_(connection, here(), *this, pool_),
      consumer_(connection, true, here(), pool_, [this](const Error& error) { on_trouble(error); }),
      group_(connection, group_settings(settings_), here(), pool_, *this) {
  if (schemas) registry_ = std::make_unique<bus::SchemaRegistry>(*schemas);
}

KafkaFrontend::~KafkaFrontend() = default;

Result<void> KafkaFrontend::open() {
  for (auto opened : {producer_.start(), consumer_.start(), group_.start()}) {
    if (!opened) return opened;
  }
  return ok();
}

Task<void> KafkaFrontend::run(std::function<void(std::size_t)> ready,
                              std::chrono::nanoseconds grace) {
  ready_ = std::move(ready);
  auto opened = open();
  if (opened) {
    publishing_.spawn(keep_published());
    auto ended = co_await ended_.wait();
    discard(ended, "whatever ended the wait, the frontend stops");
  }
  auto closed = co_await shut_down(here().now() + grace);
  co_return opened ? closed : opened;
}

Task<void> KafkaFrontend::shut_down(Deadline deadline) {
  consumer_.give_up();
  producer_.give_up();
  publishing_.cancel();
  auto published = co_await publishing_.drain(kNever);
  discard(published, "each publication reports its own failure");
  auto group = co_await group_.stop(deadline);
  requests_.cancel();
  auto drained = co_await requests_.drain(kNever);
  auto sent = co_await producer_.stop(deadline);
  discard(sent, "records that were not sent are repeated by their callers");
  auto read = co_await consumer_.stop();
  discard(read, "nothing is read any more");
  registry_.reset();
  co_return group ? drained : group;
}

// Registers the offered tools, and again whenever they change.
Task<void> KafkaFrontend::keep_published() {
  for (;;) {
    auto done = co_await publish();
    if (!done) {
      log::Line(log::Level::warn, "tools not on the bus").add("why", done.error().message);
    }
    auto asked = co_await changed_.wait(done ? kNever : here().now() + settings_.limits.retry);
    if (!asked && asked.error().code == Code::cancelled) break;
    changed_.reset();
  }
  for (const auto& [topic, tool] : tools_) {
    if (!settings_.unregister) break;
    auto removed = co_await write_registration(*tool, true, here().now() + settings_.limits.retry);
    discard(removed, "the registration expires by itself");
  }
  co_return ok();
}

std::vector<ServedTool> KafkaFrontend::tools_now() {
  std::vector<ServedTool> tools;
  const auto caller = local_caller();
  const auto catalog = catalog_.current(*caller);
  const auto& entries = catalog->entries(mcp::ItemKind::tool);
  const auto& items = catalog->items(mcp::ItemKind::tool);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].offered) continue;
    ServedTool tool{.tool = entries[i].listed, .registration = {}, .input = "", .output = ""};
    const std::string name = settings_.prefix + entries[i].listed;
    const std::string topic = topic_part(name);
    const auto description = json::string_member(items[i], "description").value_or("");
    tool.registration = {name, description.empty() ? name : description, topic + "_request",
                         topic + "_response"};
    tool.input = json::member(items[i], "inputSchema").value_or(kInput);
    tool.output = json::member(items[i], "outputSchema").value_or("");
    tools.push_back(std::move(tool));
  }
  return tools;
}

Task<void> KafkaFrontend::publish() {
  auto prepared = co_await prepare_registry(here().now() + settings_.limits.lookup_time);
  if (!prepared) co_return prepared;
  std::map<std::string, Tool> next;
  for (auto& tool : tools_now()) {
    const std::string topic = tool.registration.request_topic;
    const auto known = tools_.find(topic);
    const bool same = known != tools_.end() && known->second->registration == tool.registration &&
                      known->second->input == tool.input && known->second->output == tool.output;
    if (same) {
      next[topic] = known->second;
      continue;
    }
    auto published = co_await publish_one(tool, here().now() + settings_.limits.lookup_time);
    if (!published && published.error().code == Code::invalid_params) {
      // If the registry refuses one tool, the others are still registered.
      log::Line(log::Level::warn, "tool not on the bus")
          .add("tool", tool.tool)
          .add("why", published.error().message);
      if (known != tools_.end()) next[topic] = known->second;
      continue;
    }
    if (!published) co_return published;
    next[topic] = std::make_shared<ServedTool>(std::move(tool));
  }
  std::vector<std::string> topics;
  for (const auto& [topic, tool] : next) topics.push_back(topic);
  for (const auto& [topic, tool] : tools_) {
    if (next.contains(topic)) continue;
    auto removed =
        co_await write_registration(*tool, true, here().now() + settings_.limits.lookup_time);
    if (!removed) co_return removed;
  }
  const bool changed = !std::ranges::equal(
      next, tools_, {}, [](const auto& one) { return one.first; },
      [](const auto& one) { return one.first; });
  tools_ = std::move(next);
  if (!changed) co_return ok();
  co_return group_.subscribe(topics);
}

Task<std::optional<int>> KafkaFrontend::schema_id(std::string subject, std::string_view schema,
                                                  Deadline deadline) {
  if (!registry_) co_return std::optional<int>();
  auto added = co_await registry_->add(std::move(subject), schema, deadline);
  if (!added) co_return added.error();
  co_return std::optional(*added);
}

Task<void> KafkaFrontend::publish_one(ServedTool& tool, Deadline deadline) {
  const auto& of = tool.registration;
  for (const auto& topic : {of.request_topic, of.response_topic}) {
    auto there = co_await consumer_.ensure_topic(topic, settings_.partitions, false, deadline);
    if (!there) co_return there;
  }
  auto prepared = co_await producer_.prepare(of.response_topic, deadline);
  if (!prepared) co_return prepared;
  auto request = co_await schema_id(of.request_topic + "-value", tool.input, deadline);
  if (!request) co_return request.error();
  const std::string reply_text = reply_schema(tool.output);
  auto reply = co_await schema_id(of.response_topic + "-value", reply_text, deadline);
  if (!reply) co_return reply.error();
  tool.reply_schema = *reply;
  co_return co_await write_registration(tool, false, deadline);
}

// Creates the registry topic if necessary.
Task<void> KafkaFrontend::prepare_registry(Deadline deadline) {
  const std::string& topic = settings_.registry_topic;
  if (registry_ready_) co_return ok();
  auto there = co_await consumer_.ensure_topic(topic, 1, true, deadline);
  if (!there) co_return there;
  auto prepared = co_await producer_.prepare(topic, deadline);
  if (!prepared) co_return prepared;
  auto schemas = co_await bus::registration_schemas(registry_.get(), topic, deadline);
  if (!schemas) co_return schemas.error();
  schemas_ = *std::move(schemas);
  registry_ready_ = true;
  co_return ok();
}

Task<void> KafkaFrontend::write_registration(const ServedTool& tool, bool remove,
                                             Deadline deadline) {
  bus::RegistrationRecord record{bus::registration_key_bytes(schemas_, tool.registration.name),
                                 std::nullopt};
  if (!remove) record.value = bus::registration_value_bytes(schemas_, tool.registration);
  OneShot<bus::RecordMetadata> outcome;
  const auto tag = ++tags_;
  sending_[tag] = &outcome;
  auto sent = producer_.send(record.to(settings_.registry_topic), tag);
  Result<bus::RecordMetadata> metadata =
      sent ? co_await outcome.wait(deadline) : Result<bus::RecordMetadata>(sent.error());
  sending_.erase(tag);
  if (!metadata) co_return metadata.error();
  co_return ok();
}

void KafkaFrontend::on_delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) {
  if (const auto found = sending_.find(tag); found != sending_.end())
    found->second->deliver(outcome);
}

void KafkaFrontend::on_trouble(const Error& error) {
  log::Line(log::Level::warn, "bus").add("why", error.message);
}

void KafkaFrontend::on_assigned(std::size_t partitions) {
  log::Line(log::Level::info, "partitions assigned")
      .add("group", settings_.group)
      .add("partitions", std::uint64_t{partitions});
  if (partitions > 0 && ready_) ready_(tools_.size());
}

void KafkaFrontend::on_record(bus::OwnedMessage record) {
  requests_.spawn(handle(std::move(record)));
}

// True if a request with that id has been received before.
bool KafkaFrontend::is_known(const std::string& id) {
  if (known_.contains(id)) return true;
  known_order_.push_back(id);
  known_.insert(id);
  while (known_order_.size() > static_cast<std::size_t>(settings_.limits.remembered)) {
    known_.erase(known_order_.front());
    known_order_.pop_front();
  }
  return false;
}

Task<void> KafkaFrontend::handle(bus::OwnedMessage record) {
  const auto found = tools_.find(record.topic);
  std::vector<std::string> ids;
  Result<bool> answered = true;
  if (found != tools_.end()) {
    const Tool tool = found->second;
    const bus::IdPaths sources{record.key, record.header(bus::kKeySchemaHeader),
                               record.header(bus::kCorrelationHeader), record.value,
                               record.header(bus::kValueSchemaHeader)};
    ids = bus::find_ids(sources, tool->registration.correlation_field);
    if (ids.empty()) {
      auto dead_lettered =
          co_await dead_letter(tool->dead_letters(), record, "it has no correlation id", 1);
      answered = dead_lettered ? Result<bool>(true) : Result<bool>(dead_lettered.error());
    } else {
      answered = co_await answer(tool, record, ids.front());
    }
  }
  // A request without an answer is left to the next owner of the partition, which may be this node.
  if (!answered) {
    for (const auto& id : ids) known_.erase(id);
    log::Line(log::Level::warn, "request not answered")
        .add("topic", record.topic)
        .add("why", answered.error().message);
  }
  const bool done = answered && *answered;
  group_.done(record.topic, record.partition, done ? record.offset : -1);
  co_return ok();
}

// Answers the request, after several attempts if necessary. Yields whether it is finished; if not,
// it is already being answered. An error means that no answer was sent.
Task<bool> KafkaFrontend::answer(Tool tool, const bus::OwnedMessage& record,
                                 const std::string& id) {
  auto asked = read_bus_request(record);
  if (const auto first = asking_.find(id); first != asking_.end()) {
    // The bus has delivered it again, for example when partitions came back: the first delivery
    // counts.
    if (first->second->is_from(record.offset)) co_return false;
    if (asked) first->second->take_answer(asked->arguments);
    co_return true;
  }
  if (is_known(id)) co_return true;
  const auto reply = [&](BusReply sent) -> Task<void> {
    std::vector<std::pair<std::string, std::string>> headers{{bus::kCorrelationHeader, id}};
    if (sent.is_mcp) headers.emplace_back("patchbay-result", "mcp");
    if (!sent.parent.empty()) headers.emplace_back("traceparent", std::move(sent.parent));
    std::string& value = sent.value;
    if (tool->reply_schema) value = bus::frame(*tool->reply_schema, value);
    return deliver(tool->registration.response_topic, record.key, std::move(value),
                   std::move(headers));
  };
  if (!asked) {
    auto dead_lettered =
        co_await dead_letter(tool->dead_letters(), record, asked.error().message, 1);
    if (!dead_lettered) co_return dead_lettered.error();
    auto replied = co_await reply({failed_reply(0, asked.error().message)});
    if (!replied) co_return replied.error();
    co_return true;
  }
  KafkaRequest request(server_, *tool, *asked, id, record.offset, reply);
  asking_[id] = &request;
  mcp::Reply outcome;
  auto tries = co_await try_tool(request, outcome);
  asking_.erase(id);
  auto flushed = co_await request.flush();
  discard(flushed, "progress that was not sent is lost; the answer follows");
  if (!tries) co_return tries.error();
  if (is_worth_another_try(outcome)) {
    auto dead_lettered =
        co_await dead_letter(tool->dead_letters(), record, message_of(outcome), *tries);
    if (!dead_lettered) co_return dead_lettered.error();
  }
  auto replied = co_await reply({final_reply(request.index(), outcome), !outcome.is_error});
  if (!replied && replied.error().code == Code::too_large) {
    replied = co_await reply({failed_reply(request.index(), kTooLarge)});
  }
  if (!replied) co_return replied.error();
  co_return true;
}

// Calls the tool until it answers or the attempts are used up; yields their number.
Task<int> KafkaFrontend::try_tool(KafkaRequest& request, mcp::Reply& outcome) {
  auto pause = settings_.limits.pause;
  for (int tries = 1;; ++tries) {
    auto ran = co_await request.run();
    outcome = ran ? *std::move(ran) : mcp::error_reply(ran.error());
    if (!is_worth_another_try(outcome) || tries == settings_.limits.tries) co_return tries;
    auto slept = co_await sleep_until(here().now() + pause);
    if (!slept) co_return slept.error();
    pause *= 2;
  }
}

// Sends a record until the bus has stored it.
Task<void> KafkaFrontend::deliver(std::string topic, std::optional<std::string> key,
                                  std::string value,
                                  std::vector<std::pair<std::string, std::string>> headers) {
  std::vector<bus::Header> views;
  for (const auto& [name, text] : headers) views.push_back({name.c_str(), text});
  for (;;) {
    bus::Outgoing record{topic, std::nullopt, value, views};
    if (key) record.key = *key;
    OneShot<bus::RecordMetadata> outcome;
    const auto tag = ++tags_;
    sending_[tag] = &outcome;
    auto sent = producer_.send(record, tag);
    Result<bus::RecordMetadata> metadata =
        sent ? co_await outcome.wait() : Result<bus::RecordMetadata>(sent.error());
    sending_.erase(tag);
    if (metadata) co_return ok();
    // All other errors may be temporary: brokers come back, and producers are replaced.
    const auto code = metadata.error().code;
    const bool for_good = code == Code::too_large || code == Code::invalid_params;
    if (for_good || code == Code::cancelled) co_return metadata.error();
    auto slept = co_await sleep_until(here().now() + settings_.limits.pause);
    if (!slept) co_return slept;
  }
}

// A record that cannot be processed is put in a topic where a person may examine it.
Task<void> KafkaFrontend::dead_letter(std::string topic, const bus::OwnedMessage& record,
                                      std::string why, int tries) {
  log::Line(log::Level::warn, "dead letter")
      .add("topic", record.topic)
      .add("partition", record.partition)
      .add("offset", record.offset)
      .add("why", why);
  auto headers = record.headers;
  headers.emplace_back("patchbay-why", why);
  headers.emplace_back("patchbay-tries", std::to_string(tries));
  headers.emplace_back("patchbay-from",
                       fmt::format("{}/{}/{}", record.topic, record.partition, record.offset));
  auto put = co_await deliver(topic, record.key, record.value.value_or(""), headers);
  // These headers may make it larger than the bus allows; one of them names its origin.
  if (!put && put.error().code == Code::too_large) {
    put = co_await deliver(topic, record.key, "", std::move(headers));
  }
  co_return put;
}

}  // namespace patchbay::frontends
