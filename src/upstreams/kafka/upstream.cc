#include "upstreams/kafka/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "async/hop.h"
#include "bus/framing.h"
#include "core/discard.h"
#include "json/read.h"
#include "json/write.h"
#include "observe/log.h"
#include "upstreams/kafka/topics.h"

namespace patchbay::upstreams {
namespace {

// Upstreams are distributed over the workers.
net::Loop& next_owner(const std::vector<net::Loop*>& workers) {
  static std::atomic<std::size_t> next = 0;
  return *workers[next++ % workers.size()];
}

// The embedded bus has its own registry, unless the settings name another.
std::optional<bus::RegistrySettings> registry_of(const KafkaPlan& plan,
                                                 const bus::EmbeddedBus* embedded) {
  if (plan.schemas || !embedded) return plan.schemas;
  auto url = net::parse_url(embedded->registry_url());
  return url ? std::optional(bus::RegistrySettings{.url = *std::move(url)}) : std::nullopt;
}

}  // namespace

KafkaUpstream::KafkaUpstream(KafkaPlan plan, std::shared_ptr<bus::EmbeddedBus> embedded,
                             const std::vector<net::Loop*>& workers,
                             gateway::UpstreamWatcher& watcher, metrics::Registry& registry)
    : plan_(std::move(plan)),
      embedded_(std::move(embedded)),
      watcher_(watcher),
      coordinator_(plan_, connection_of(plan_, embedded_.get()),
                   registry_of(plan_, embedded_.get()), next_owner(workers), clients_, *this),
      shared_(plan_, coordinator_.producer(), registry) {
  coordinator_.share(shared_);
  shared_.find_schema = [this](int id, std::string guid, Deadline deadline) {
    auto there = [this, id, guid = std::move(guid), deadline] {
      return coordinator_.find_schema(id, guid, deadline);
    };
    return hop<AgentSchema>(coordinator_.loop(), std::move(there));
  };
  for (net::Loop* const worker : workers) {
    clients_.push_back(
        std::make_unique<KafkaClient>(*worker, static_cast<int>(clients_.size()), shared_));
  }
}

KafkaUpstream::~KafkaUpstream() = default;

Task<void> KafkaUpstream::start() {
  if (embedded_) {
    embedded_->create_topic(plan_.registry_topic, plan_.settings.registry_partitions);
  }
  auto there = [this] { return coordinator_.start(); };
  co_return co_await hop<void>(coordinator_.loop(), there);
}

gateway::UpstreamUse KafkaUpstream::use() const {
  return {.unsent_records = coordinator_.unsent(), .unread_records = coordinator_.unread()};
}

// Every worker has the offers before the new list becomes visible.
void KafkaUpstream::on_offers(std::shared_ptr<const KafkaOffers> offers, mcp::ItemLists items) {
  for (const auto& client : clients_) {
    client->loop().post([client = client.get(), offers] { client->use(offers); });
  }
  watcher_.offers(*this, std::move(items));
}

void KafkaUpstream::on_state(bool up, const std::string& detail) {
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    changed = state_.up != up || state_.detail != detail;
    state_ = {up, detail};
  }
  if (!changed) return;
  log::Line(up && detail.empty() ? log::Level::info : log::Level::warn,
            up ? "upstream up" : "upstream down")
      .add("upstream", plan_.name)
      .add("detail", detail);
}

void KafkaUpstream::on_left_out(gateway::LeftOut left_out) {
  auto list = std::make_shared<const gateway::LeftOut>(std::move(left_out));
  const std::lock_guard lock(mutex_);
  left_out_ = std::move(list);
}

std::shared_ptr<const gateway::LeftOut> KafkaUpstream::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

gateway::UpstreamState KafkaUpstream::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

KafkaClient* KafkaUpstream::client_here() {
  const auto found =
      std::ranges::find_if(clients_, [](const auto& client) { return &client->loop() == &here(); });
  return found == clients_.end() ? nullptr : found->get();
}

Task<mcp::Reply> KafkaUpstream::answer(const gateway::Call& call, std::string_view target) {
  KafkaClient* const client = client_here();
  if (client && call.method.action == mcp::Action::call_tool)
    return call_tool(*client, call, target);
  return answer_other(client, call, target);
}

Task<mcp::Reply> KafkaUpstream::answer_other(KafkaClient* client, const gateway::Call& call,
                                             std::string_view target) {
  if (!client) co_return Error{Code::internal, "not on a worker"};
  switch (call.method.action) {
    case mcp::Action::read_resource:
      co_return co_await read(*client, call, std::string(target));
    case mcp::Action::subscribe:
      co_return co_await subscribe(*client, std::string(target));
    case mcp::Action::unsubscribe:
      co_return mcp::result_reply("{}");
    default:
      co_return Error{Code::method_not_found,
                      fmt::format("the upstream has no {}", call.method.name)};
  }
}

Task<mcp::Reply> KafkaUpstream::call_tool(KafkaClient& client, const gateway::Call& call,
                                          std::string_view name) {
  const KafkaOffers* const offers = client.offers();
  if (offers) {
    const auto topic = offers->topics.find(name);
    if (topic != offers->topics.end()) return produce(client, call, topic->second);
  }
  return client.call(call, name);
}

Task<mcp::Reply> KafkaUpstream::produce(KafkaClient& client, const gateway::Call& call,
                                        std::shared_ptr<const TopicOffer> offer) {
  const TopicOffer& topic = *offer;
  const auto* const given = call.request.param("arguments");
  const std::string_view arguments = given ? given->raw : "{}";
  const auto raw = json::member(arguments, "value").value_or("null");
  auto key = json::string_member(arguments, "key");
  const bool deletes = raw == "null" && key;
  auto value = deletes ? Result<std::string>("") : topic_value(topic, raw);
  if (!value) co_return value.error();
  if (key) {
    auto bytes = topic_key(topic, *key);
    if (!bytes) co_return bytes.error();
    key = *std::move(bytes);
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  json::each_member(json::member(arguments, "headers").value_or("{}"),
                    [&](std::string_view header, std::string_view text) {
                      pairs.emplace_back(header, json::as_string(text).value_or(std::string(text)));
                    });
  std::vector<bus::Header> headers;
  for (const auto& [header, text] : pairs) headers.push_back({header.c_str(), text});
  bus::Outgoing record{topic.settings.topic, key, *value, headers};
  if (deletes) record.value = std::nullopt;
  const std::chrono::milliseconds timeout(plan_.settings.response_timeout_ms);
  auto written = co_await client.send(record, std::min(call.deadline, here().now() + timeout));
  if (!written) co_return written.error();
  std::string where;
  json::Object object(where);
  object.raw("topic", json::quote(topic.settings.topic));
  object.raw("partition", std::to_string(written->partition));
  object.raw("offset", std::to_string(written->offset));
  object.end();
  co_return mcp::scanned_reply(
      fmt::format(R"({{"content":[{{"type":"text","text":{}}}],"structuredContent":{}}})",
                  json::quote(where), where));
}

// Whether the URI is one of a topic of the configuration.
bool KafkaUpstream::is_topic(std::string_view uri) const {
  return uri.starts_with(fmt::format("kafka://{}/", plan_.name));
}

Task<mcp::Reply> KafkaUpstream::read(KafkaClient& client, const gateway::Call& call,
                                     std::string uri) {
  const auto offer = client.offers() ? client.offers()->find_resource(uri) : nullptr;
  if (!offer && !is_topic(uri)) {
    co_return Error{Code::resource_not_found, "there is no such resource"};
  }
  if (offer && !offer->from_topic) co_return co_await client.read(call, offer, std::move(uri));
  const bool keeps_null = call.keeps_null;
  auto there = [this, offer, uri, keeps_null]() -> Task<mcp::Reply> {
    if (offer) co_return coordinator_.read_topic(*offer, uri, keeps_null);
    co_return coordinator_.read_topic(uri);
  };
  co_return co_await hop<mcp::Reply>(coordinator_.loop(), there);
}

// Subscribers are notified of new records in any case; this only checks that the resource exists.
Task<mcp::Reply> KafkaUpstream::subscribe(KafkaClient& client, std::string uri) {
  const auto offer = client.offers() ? client.offers()->find_resource(uri) : nullptr;
  if (is_topic(uri) || (offer && offer->from_topic)) co_return mcp::result_reply("{}");
  if (!offer) co_return Error{Code::resource_not_found, "there is no such resource"};
  co_return Error{Code::invalid_params,
                  "this resource is requested when it is read, so its changes are unknown"};
}

Task<std::vector<std::string>> KafkaUpstream::registrations() {
  auto there = [this]() -> Task<std::vector<std::string>> {
    std::vector<std::string> all;
    for (const auto& line : coordinator_.lines()) {
      std::string one;
      json::Object object(one);
      const std::string written = bus::write_registration(line.registration);
      object.members(std::string_view(written).substr(1, written.size() - 2));
      object.raw("offered", line.offered ? "true" : "false");
      if (!line.problem.empty()) object.raw("problem", json::quote(line.problem));
      object.end();
      all.push_back(std::move(one));
    }
    co_return all;
  };
  co_return co_await hop<std::vector<std::string>>(coordinator_.loop(), there);
}

Task<std::string> KafkaUpstream::put_registration(std::string registration, Deadline deadline) {
  auto read = bus::read_registration(registration);
  if (!read) co_return Error{Code::invalid_params, read.error().message};
  auto written = co_await write_registration(read->name, *read, deadline);
  if (!written) co_return written.error();
  co_return bus::write_registration(*read);
}

Task<void> KafkaUpstream::remove_registration(std::string name, Deadline deadline) {
  co_return co_await write_registration(std::move(name), std::nullopt, deadline);
}

// Yields once the record has been read back, so that the next query finds it.
Task<void> KafkaUpstream::write_registration(std::string name,
                                             std::optional<bus::Registration> registration,
                                             Deadline deadline) {
  KafkaClient* const client = client_here();
  if (!client) co_return Error{Code::internal, "not on a worker"};
  using Records = std::vector<bus::RegistrationRecord>;
  auto ask = [&] { return coordinator_.records_for(name, registration, deadline); };
  auto records = co_await hop<Records>(coordinator_.loop(), ask);
  if (!records) co_return records.error();
  for (const auto& record : *records) {
    const bus::Outgoing outgoing = record.to(plan_.registry_topic);
    auto written = co_await client->send(outgoing, deadline);
    if (!written) co_return written.error();
    auto wait = [&] { return coordinator_.wait_taken(*written, deadline); };
    auto taken = co_await hop<void>(coordinator_.loop(), wait);
    discard(taken, "the record is on the bus in any case");
  }
  co_return ok();
}

Task<void> KafkaUpstream::stop(Deadline deadline) {
  Scope all;
  for (const auto& client : clients_) {
    auto there = [one = client.get(), deadline] { return one->stop(deadline); };
    all.spawn(hop<void>(client->loop(), there));
  }
  auto ended = co_await all.drain(kNever);
  // Beyond this point no call waits for a reply.
  auto idle = [this] { return coordinator_.stop_reading(); };
  auto stopped = co_await hop<void>(coordinator_.loop(), idle);
  // Replies that were posted to a client have been handled once it answers.
  for (const auto& client : clients_) {
    auto nothing = []() -> Task<void> { co_return ok(); };
    auto passed = co_await hop<void>(client->loop(), nothing);
    discard(passed, "only the order matters");
  }
  auto close = [this] { return coordinator_.stop(here().now()); };
  auto closed = co_await hop<void>(coordinator_.loop(), close);
  if (!closed) stopped = closed;
  on_state(false, "stopped");
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  co_return ended ? stopped : ended;
}

}  // namespace patchbay::upstreams
