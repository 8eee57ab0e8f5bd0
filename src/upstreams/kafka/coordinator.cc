#include "upstreams/kafka/coordinator.h"

#include <fmt/format.h>

#include <utility>

#include "bus/correlation.h"
#include "bus/framing.h"
#include "core/discard.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

// Threads for blocking calls of librdkafka; looking up many topics at once needs several.
constexpr int kThreads = 4;
constexpr int kWaiting = 100'000;

// A completed call must not be executed later: requests that cannot be sent in time are dropped.
bus::Connection with_timeout(bus::Connection connection, int response_timeout_ms) {
  if (bus::property(connection.properties, "message.timeout.ms").empty()) {
    connection.properties.emplace_back("message.timeout.ms", std::to_string(response_timeout_ms));
  }
  return connection;
}

}  // namespace

// Takes replies and routes them to their clients.
class KafkaCoordinator::Replies final : public KafkaFollower {
 public:
  Replies(KafkaCoordinator& coordinator, bus::Consumer& consumer)
      : KafkaFollower(coordinator.plan_, consumer, coordinator.registry_.get()),
        coordinator_(coordinator) {}

  bus::Reader& reader() { return reader_; }
  void add_field(const bus::Registration& registration) {
    fields_[registration.response_topic].insert(registration.correlation_field);
  }
  void forget(const std::string& topic) { fields_.erase(topic); }

 private:
  void on_records(std::vector<bus::Record> records) override {
    std::map<KafkaClient*, std::vector<KafkaArrival>> sorted;
    for (auto& record : records) {
      if (auto route = route_of(record)) {
        sorted[route->first].push_back({std::move(route->second), std::move(record)});
      }
    }
    for (auto& [client, arrivals] : sorted) {
      if (&client->loop() == &here()) {
        client->take(std::move(arrivals));
        continue;
      }
      client->loop().post(
          [to = client, batch = std::move(arrivals)]() mutable { to->take(std::move(batch)); });
    }
  }

  using Route = std::optional<std::pair<KafkaClient*, std::string>>;

  // The client that waits for it, by the id. Nothing if it is none of ours, which is counted.
  Route route_of(bus::Record& record) {
    const bus::IdPaths paths{record.key(), record.header(bus::kKeySchemaHeader),
                             record.header(bus::kCorrelationHeader), record.value(),
                             record.header(bus::kValueSchemaHeader)};
    bool readable = false;
    if (auto route = client_of(record.topic(), paths, readable)) return route;
    // It may be in Avro, which takes longer to decode.
    if (paths.key) {
      const Content key = content_of(*paths.key, paths.key_schema);
      if (key.unknown && wait_for(*key.unknown, record)) return std::nullopt;
      const bus::IdPaths plain{.key = key.text()};
      auto route = key.avro ? client_of(record.topic(), plain, readable) : std::nullopt;
      if (route) return route;
    }
    if (paths.value && !readable) {
      const Content value = content_of(*paths.value, paths.value_schema);
      if (value.unknown && wait_for(*value.unknown, record)) return std::nullopt;
      const bus::IdPaths plain{.value = value.text()};
      auto route = value.avro ? client_of(record.topic(), plain, readable) : std::nullopt;
      if (route) return route;
    }
    const auto& counters = coordinator_.shared_->counters;
    (readable ? counters.foreign : counters.unreadable)->add();
    return std::nullopt;
  }

  // Whether the record waits until its schema is known.
  bool wait_for(int schema, bus::Record& record) {
    if (waiting_.size() >= most_waiting() || !learn(schema)) return false;
    waiting_.push_back(std::move(record));
    return true;
  }
  void on_learned() override { on_records(std::exchange(waiting_, {})); }
  void drop_waiting() override { waiting_.clear(); }

  Route client_of(std::string_view topic, const bus::IdPaths& paths, bool& readable) {
    const auto fields = fields_.find(topic);
    if (fields == fields_.end()) return std::nullopt;
    for (const auto& field : fields->second) {
      for (auto& id : bus::find_ids(paths, field)) {
        readable = true;
        const auto client = KafkaClient::client_of(id);
        if (client < coordinator_.clients_.size())
          return {{coordinator_.clients_[client].get(), std::move(id)}};
      }
    }
    return std::nullopt;
  }

  KafkaCoordinator& coordinator_;
  // The members of a key that may contain the id, by topic.
  std::map<std::string, std::set<std::string>, std::less<>> fields_;
  std::vector<bus::Record> waiting_;  // For schemas.
};

KafkaCoordinator::KafkaCoordinator(const KafkaPlan& plan, bus::Connection connection,
                                   std::optional<bus::RegistrySettings> schemas, net::Loop& loop,
                                   std::vector<std::unique_ptr<KafkaClient>>& clients,
                                   Events& events)
    : plan_(plan),
      connection_(connection),
      schemas_(std::move(schemas)),
      loop_(loop),
      clients_(clients),
      events_(events),
      pool_(kThreads, kWaiting),
      producer_(with_timeout(connection, plan.settings.response_timeout_ms), loop, *this, pool_),
      live_(connection, false, loop, pool_, [this](const Error& error) { on_trouble(error); }),
      tables_(connection, true, loop, pool_, [this](const Error& error) { on_trouble(error); }) {}

KafkaCoordinator::~KafkaCoordinator() = default;

Task<void> KafkaCoordinator::start() {
  if (schemas_) registry_ = std::make_unique<bus::SchemaRegistry>(*schemas_);
  replies_ = std::make_unique<Replies>(*this, live_);
  topics_ = std::make_unique<KafkaTopics>(plan_, tables_, registry_.get(), *this);
  directory_ = std::make_unique<KafkaDirectory>(plan_, tables_, registry_.get(), *this);
  for (auto begun : {producer_.start(), live_.start(), tables_.start()}) {
    if (!begun) {
      on_bus(false, begun.error().message);
      co_return begun;
    }
  }
  Scope both;
  both.spawn(topics_->start());
  both.spawn(directory_->start());
  auto begun = co_await both.drain(kNever);
  if (stopping_) co_return Error{Code::cancelled, "the upstream is stopping"};
  started_ = true;
  on_offers_changed();
  co_return begun;
}

Task<void> KafkaCoordinator::stop_reading() {
  started_ = false;
  stopping_ = true;
  producer_.give_up();
  if (!directory_) co_return ok();
  auto agents = co_await directory_->stop();
  auto topics = co_await topics_->stop();
  auto replies = co_await replies_->stop();
  if (!agents) co_return agents;
  co_return topics ? replies : topics;
}

Task<void> KafkaCoordinator::stop(Deadline deadline) {
  auto idle = co_await requests_.wait_empty();
  if (!idle) co_return idle;
  auto sent = co_await producer_.stop(deadline);
  auto prepared = co_await preparing_.drain(kNever);
  discard(prepared, "a topic that is not prepared is prepared by its first record");
  auto live = co_await live_.stop();
  auto tables = co_await tables_.stop();
  directory_.reset();
  topics_.reset();
  replies_.reset();
  registry_.reset();
  if (!sent) co_return sent;
  co_return live ? tables : live;
}

Task<std::vector<bus::StoredRecord>> KafkaCoordinator::last_records(std::string topic,
                                                                    std::size_t count,
                                                                    Deadline deadline) {
  if (stopping_) co_return Error{Code::unavailable, "the upstream is stopping"};
  const Gate::Pass pass(requests_);
  // What its own consumers read stays untouched.
  bus::Connection own = connection_;
  own.properties.emplace_back("allow.auto.create.topics", "false");
  bus::Consumer looking(own, true, loop_, pool_, [](const Error&) {});
  auto started = looking.start();
  if (!started) co_return started.error();
  auto records = co_await looking.last_records(std::move(topic), {.records = count}, deadline);
  auto stopped = co_await looking.stop();
  discard(stopped, "what was read has been read");
  co_return records;
}

Task<bus::LagReport> KafkaCoordinator::agent_lag(std::vector<std::string> topics) {
  if (!started_ || stopping_) co_return Error{Code::unavailable, "the bus is not in use"};
  const Gate::Pass pass(requests_);
  const KafkaSettings& settings = plan_.settings;
  const bus::LagQuestion question{std::move(topics), settings.agent_groups,
                                  static_cast<std::size_t>(settings.limits.lag_groups),
                                  static_cast<std::size_t>(settings.limits.lag_partitions),
                                  !connection_.embedded};
  const Deadline deadline = here().now() + settings.lag_timeout;
  auto looking = live_.agent_lag(question, deadline);
  co_return co_await looking;
}

Task<AgentSchema> KafkaCoordinator::find_schema(int id, std::string guid, Deadline deadline) {
  if (!registry_ || stopping_) co_return AgentSchema();
  const Gate::Pass pass(requests_);
  if (!guid.empty()) co_return co_await registry_->by_guid(std::move(guid), deadline);
  co_return co_await registry_->by_id(id, deadline);
}

std::vector<RegistrationLine> KafkaCoordinator::lines() const {
  return directory_ ? directory_->lines() : std::vector<RegistrationLine>();
}

Task<std::vector<bus::RegistrationRecord>> KafkaCoordinator::records_for(
    std::string name, std::optional<bus::Registration> registration, Deadline deadline) {
  if (!directory_ || stopping_) co_return Error{Code::unavailable, "the upstream is stopping"};
  const Gate::Pass pass(requests_);
  co_return co_await directory_->records_for(std::move(name), std::move(registration), deadline);
}

Task<void> KafkaCoordinator::wait_taken(bus::RecordMetadata at, Deadline deadline) {
  if (!directory_ || stopping_) co_return Error{Code::unavailable, "the upstream is stopping"};
  const Gate::Pass pass(requests_);
  co_return co_await directory_->wait_taken(at, deadline);
}

Result<mcp::Reply> KafkaCoordinator::read_topic(std::string_view uri) const {
  if (!topics_) return Error{Code::unavailable, "the upstream is stopping"};
  return topics_->read(uri);
}

Result<mcp::Reply> KafkaCoordinator::read_topic(const KafkaOffer& offer, std::string_view uri,
                                                bool keeps_null) const {
  if (!topics_) return Error{Code::unavailable, "the upstream is stopping"};
  return topics_->read(offer, uri, keeps_null);
}

void KafkaCoordinator::on_delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) {
  if (outcome && !KafkaClient::wants_success(tag)) return;
  const auto number = KafkaClient::client_of(tag);
  if (number >= clients_.size()) return;
  KafkaClient* const client = clients_[number].get();
  client->loop().post([client, tag, outcome] { client->delivered(tag, outcome); });
}

// A connection may only have been idle for long: the question is whether it can be made again.
void KafkaCoordinator::on_trouble(const Error& error) {
  log::Line(log::Level::debug, "bus trouble").add("upstream", plan_.name).add("why", error.message);
  if (error.message.contains("brokers are down")) {
    if (directory_) directory_->look_again();
    return;
  }
  const bool first = trouble_.empty();
  trouble_ = error.message;
  if (first && !reachable_) notify_state();
}

void KafkaCoordinator::on_bus(bool reachable, const std::string& why) {
  reachable_ = reachable;
  why_ = why;
  if (reachable) trouble_.clear();
  shared_->down = !reachable;
  notify_state();
}

void KafkaCoordinator::notify_state() {
  const std::string why = why_.empty() ? "starting" : why_;
  if (!started_ || !reachable_) {
    return events_.on_state(false, trouble_.empty() ? why : fmt::format("{}: {}", why, trouble_));
  }
  events_.on_left_out(left_out());
  const std::string agents = directory_->problems();
  const std::string topics = topics_->problems();
  const bool both = !agents.empty() && !topics.empty();
  events_.on_state(true, fmt::format("{}{}{}", agents, both ? "; " : "", topics));
}

gateway::LeftOut KafkaCoordinator::left_out() const {
  gateway::LeftOut list;
  topics_->list_left_out(list);
  directory_->list_left_out(list);
  const auto offers = directory_->offers();
  for (const auto& topic : topics_->offers()) {
    if (!offers->tools.contains(topic->name)) continue;
    list.add(mcp::ItemKind::tool, topic->name,
             "this agent has the name of a topic in `topics` of its upstream");
  }
  return list;
}

void KafkaCoordinator::on_offers_changed() {
  if (!started_) return;
  auto offers = std::make_shared<KafkaOffers>(*directory_->offers());
  mcp::ItemLists items;
  const auto add = [&](const KafkaOffer& offer) {
    mcp::of(items, kind_of(offer)).push_back(item_of(offer));
  };
  for (const auto& topic : topics_->offers()) {
    add_items(*topic, items);
    offers->topics.emplace(topic->name, topic);
    prepare(topic->settings.topic);
  }
  for (const auto& [name, offer] : offers->tools) {
    // A configured topic overrides an agent of the same name.
    if (!offers->topics.contains(name)) add(*offer);
  }
  for (const auto& [url, offer] : offers->resources) add(*offer);
  for (const auto& offer : offers->templates) add(*offer);
  events_.on_offers(std::move(offers), std::move(items));
  notify_state();
}

// Has the producer look up a topic in the background.
void KafkaCoordinator::prepare(const std::string& topic) {
  if (!prepared_.insert(topic).second) return;
  preparing_.spawn(producer_.prepare(topic, here().now() + plan_.settings.lookup_time));
}

Task<void> KafkaCoordinator::follow(const KafkaOffer& offer, Deadline deadline) {
  const std::string request_topic = offer.registration.request_topic;
  if (!offer.from_topic && !prepared_.contains(request_topic)) {
    auto prepared = co_await producer_.prepare(request_topic, deadline);
    if (!prepared) co_return prepared;
    prepared_.insert(request_topic);
  }
  const auto& topic = offer.registration.response_topic;
  if (offer.from_topic) co_return co_await topics_->follow(topic, deadline);
  replies_->add_field(offer.registration);
  co_return co_await replies_->reader().follow(topic, bus::Reader::From::now, deadline);
}

Task<void> KafkaCoordinator::unfollow(const bus::Registration& registration) {
  replies_->forget(registration.response_topic);
  auto left = co_await replies_->reader().leave(registration.response_topic);
  if (!left) co_return left;
  co_return co_await topics_->leave(registration.response_topic);
}

}  // namespace patchbay::upstreams
