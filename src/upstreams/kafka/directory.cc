#include "upstreams/kafka/directory.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "json/text.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMostRejected = 100;  // Maximum number that is stored for the list.
constexpr std::size_t kMostKeys = 8;        // Of one name in the topic.
constexpr std::size_t kAtOnce = 16;         // Registrations that are resolved together.
constexpr std::size_t kMaxProblems = 3;     // Problems that are listed in a sentence.
constexpr config::Duration kProbe{
    2'000};  // How long a bus that was reachable may take to answer again.

class CancelsScope final : public Stop::Hook {
 public:
  explicit CancelsScope(Scope& scope) : scope_(scope) {}
  void on_stop() override { scope_.cancel(); }

 private:
  Scope& scope_;
};

// Whether a key in Avro has a field for an id, which is known before any call.
Result<void> is_askable(const KafkaOffer& offer) {
  if (offer.from_topic) return ok();
  auto key = request_key(offer, "00000000-0000-4000-8000-000000000000");
  if (key) return ok();
  return Error{Code::unavailable,
               fmt::format("the schema of {}-key has no room for the id: {}",
                           offer.registration.request_topic, key.error().message)};
}

}  // namespace

KafkaDirectory::KafkaDirectory(const KafkaPlan& plan, bus::Consumer& consumer,
                               bus::SchemaRegistry* registry, Events& events)
    : KafkaFollower(plan, consumer, registry), events_(events) {}

KafkaDirectory::~KafkaDirectory() = default;

Task<void> KafkaDirectory::start() {
  scope_.spawn(keep_reading());
  scope_.spawn(keep_resolving());
  co_return co_await first_look_over();
}

// Looks up the registry topic until it exists; then watches for new partitions.
Task<void> KafkaDirectory::keep_reading() {
  for (;;) {
    auto begun = co_await begin();
    events_.on_bus(bool(begun), begun ? "" : begun.error().message);
    if (!begun) first_look_.deliver(ok());
    const auto pause = begun ? plan_.settings.refresh : plan_.settings.retry;
    auto asked = co_await again_.wait(here().now() + pause);
    if (!asked && asked.error().code == Code::cancelled) co_return asked;
    again_.reset();
  }
}

Task<void> KafkaDirectory::begin() {
  const std::string& topic = plan_.registry_topic;
  const bool known = reader_.follows(topic);
  // Calls depend on the bus, so it must be found out soon whether it is still reachable.
  const auto timeout =
      known ? std::min(kProbe, plan_.settings.lookup_time) : plan_.settings.lookup_time;
  const Deadline deadline = here().now() + timeout;
  if (!known) {
    auto there =
        co_await consumer_.ensure_topic(topic, plan_.settings.registry_partitions, true, deadline);
    if (!there) co_return there;
    auto typed = co_await bus::registration_schemas(registry_, topic, deadline);
    if (!typed) {
      log::Line(log::Level::warn, "registry topic has no schemas")
          .add("upstream", plan_.name)
          .add("why", typed.error().message);
    }
  }
  co_return co_await reader_.follow(topic, bus::Reader::From::beginning, deadline);
}

void KafkaDirectory::on_records(std::vector<bus::Record> records) {
  for (const auto& record : records) {
    take(record);
    taken_[record.partition()] = record.offset();
  }
  work_.deliver(ok());
  for (OneShot<void>* const waiting : waiting_) waiting->deliver(ok());
}

void KafkaDirectory::on_caught_up(const std::string&) {
  caught_up_ = true;
  work_.deliver(ok());
}

void KafkaDirectory::on_unreadable(const std::string& topic, const Error& why) {
  KafkaFollower::on_unreadable(topic, why);
  look_again();
}

void KafkaDirectory::take(const bus::Record& record) {
  auto [name, registration, problem] = bus::read_registry_record(record);
  note_key(name, record.key().value_or(""), registration || !problem.empty());
  if (!problem.empty()) return reject(name, problem);
  if (!registration) return remove(name);
  rejected_.erase(name);
  const auto known = entries_.find(name);
  if (known == entries_.end() &&
      entries_.size() >= static_cast<std::size_t>(plan_.settings.limits.registrations)) {
    return reject(name, "there are too many; see limits.max_registrations");
  }
  log::Line(log::Level::info, known == entries_.end() ? "agent registered" : "agent changed")
      .add("upstream", plan_.name)
      .add("name", registration->name)
      .add("request_topic", registration->request_topic)
      .add("response_topic", registration->response_topic);
  // Its former offer stays until the new one is resolved.
  Entry& entry = entries_[name];
  entry.registration = *std::move(registration);
  entry.fresh = true;
}

void KafkaDirectory::note_key(const std::string& name, std::string_view key, bool stands) {
  const std::string bytes(key);
  if (!stands) {
    const auto known = keys_.find(name);
    if (known == keys_.end()) return;
    known->second.erase(bytes);
    if (known->second.empty()) keys_.erase(known);
    return;
  }
  const bool room = keys_.contains(name)
                        ? keys_[name].size() < kMostKeys
                        : keys_.size() < kMostRejected + static_cast<std::size_t>(
                                                             plan_.settings.limits.registrations);
  if (room && !bytes.empty()) keys_[name].insert(bytes);
}

Task<std::vector<bus::RegistrationRecord>> KafkaDirectory::records_for(
    std::string name, std::optional<bus::Registration> registration, Deadline deadline) {
  auto schemas = co_await bus::registration_schemas(registry_, plan_.registry_topic, deadline);
  if (!schemas) co_return schemas.error();
  const auto known = keys_.find(name);
  std::set<std::string> keys = known == keys_.end() ? std::set<std::string>() : known->second;
  if (keys.empty()) keys.insert(bus::registration_key_bytes(*schemas, name));
  std::optional<std::string> value;
  if (registration) value = bus::registration_value_bytes(*schemas, *registration);
  std::vector<bus::RegistrationRecord> records;
  for (const auto& key : keys) records.push_back({key, value});
  co_return records;
}

Task<void> KafkaDirectory::wait_taken(bus::RecordMetadata at, Deadline deadline) {
  for (;;) {
    const auto taken = taken_.find(at.partition);
    if (taken != taken_.end() && taken->second >= at.offset) co_return ok();
    OneShot<void> update;
    waiting_.insert(&update);
    auto updated = co_await update.wait(deadline);
    waiting_.erase(&update);
    if (!updated) co_return updated;
  }
}

// An agent whose new registration is invalid keeps its former one.
void KafkaDirectory::reject(const std::string& name, const std::string& why) {
  log::Line(log::Level::warn, "registration skipped")
      .add("upstream", plan_.name)
      .add("name", json::shortened(name, 200))
      .add("why", why);
  if (rejected_.size() < kMostRejected || rejected_.contains(name)) rejected_[name] = why;
}

void KafkaDirectory::remove(const std::string& name) {
  rejected_.erase(name);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  log::Line(log::Level::info, "agent unregistered").add("upstream", plan_.name).add("name", name);
  const bus::Registration gone = found->second.registration;
  const bool was_offered = found->second.offer != nullptr;
  entries_.erase(found);
  if (was_offered && caught_up_) events_.on_offers_changed();
  scope_.spawn(release(gone));
}

// Stops following reply topics that no other agent uses.
Task<void> KafkaDirectory::release(bus::Registration registration) {
  const bool used = std::ranges::any_of(entries_, [&](const auto& one) {
    return one.second.registration.response_topic == registration.response_topic;
  });
  if (used) co_return ok();
  co_return co_await events_.unfollow(registration);
}

bool KafkaDirectory::is_first_look_over() const {
  return caught_up_ &&
         std::ranges::none_of(entries_, [](const auto& one) { return one.second.fresh; });
}

// Resolves new entries at once, failed ones after a while, and all of them from time to time.
Task<void> KafkaDirectory::keep_resolving() {
  Deadline refresh = here().now() + plan_.settings.refresh;
  for (;;) {
    const bool all = here().now() >= refresh;
    if (all) refresh = here().now() + plan_.settings.refresh;
    auto resolved = co_await resolve_all(all);
    if (!resolved) co_return resolved;
    // Also if the bus was reachable late, and start() no longer waits for the first attempt.
    if (is_first_look_over() && !looked_) {
      looked_ = true;
      events_.on_offers_changed();
      first_look_.deliver(ok());
    }
    events_.on_looked();
    auto asked = co_await work_.wait(std::min(refresh, here().now() + plan_.settings.retry));
    if (!asked && asked.error().code == Code::cancelled) co_return asked;
    work_.reset();
  }
}

Task<void> KafkaDirectory::resolve_all(bool everything) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    if (everything || entry.fresh || !entry.problem.empty()) names.push_back(name);
  }
  Stop* const stop = co_await current_stop();
  for (std::size_t begin = 0; begin < names.size(); begin += kAtOnce) {
    if (stop && stop->requested()) co_return Error{Code::cancelled, "cancelled"};
    Scope some;
    CancelsScope cancels(some);
    if (stop) cancels.link(*stop);
    for (std::size_t i = begin; i < std::min(names.size(), begin + kAtOnce); ++i) {
      some.spawn(resolve(names[i]));
    }
    // They are cancelled too, but still awaited.
    auto drain = some.drain(kNever);
    auto done = co_await drain.shielded();
    discard(done, "resolve() stores what failed in the entry");
  }
  co_return ok();
}

Task<void> KafkaDirectory::resolve(std::string name) {
  const auto before = entries_.find(name);
  if (before == entries_.end() || before->second.resolving) co_return ok();
  before->second.resolving = true;
  const bus::Registration registration = before->second.registration;
  const Deadline deadline = here().now() + plan_.settings.lookup_time;
  auto schemas = co_await find_schemas(registration, deadline);
  std::shared_ptr<const KafkaOffer> offer;
  Result<void> followed = schemas ? ok() : Result<void>(schemas.error());
  if (schemas) {
    const bool by_topic = plan_.settings.retrieval == Retrieval::topic;
    offer = std::make_shared<const KafkaOffer>(
        make_offer(registration, *schemas, registration.from_topic.value_or(by_topic)));
    followed = is_askable(*offer);
    if (followed) followed = co_await events_.follow(*offer, deadline);
  }
  const auto after = entries_.find(name);
  if (after == entries_.end()) co_return co_await release(registration);
  Entry& entry = after->second;
  entry.resolving = false;
  // It has changed meanwhile: the result is outdated.
  if (!(entry.registration == registration)) co_return ok();
  const bool fresh = std::exchange(entry.fresh, false);
  const std::string problem = followed ? "" : followed.error().message;
  if (!problem.empty() && problem != entry.problem) {
    log::Line(log::Level::warn, "agent not usable")
        .add("upstream", plan_.name)
        .add("name", registration.name)
        .add("why", problem);
  }
  entry.problem = problem;
  // If schemas cannot be fetched again, the earlier ones stay in use.
  if (!problem.empty() && !fresh) co_return ok();
  if (!problem.empty()) offer = nullptr;
  const bool same = entry.offer && offer && entry.offer->registration == offer->registration &&
                    entry.offer->schemas == offer->schemas;
  if (same || (!entry.offer && !offer)) co_return ok();
  // The reply topic may have changed.
  if (entry.offer) scope_.spawn(release(entry.offer->registration));
  entry.offer = std::move(offer);
  if (looked_) events_.on_offers_changed();
  co_return ok();
}

Task<AgentSchemas> KafkaDirectory::find_schemas(const bus::Registration& registration,
                                                Deadline deadline) {
  auto key = co_await find_schema(registration.request_topic + "-key", deadline);
  if (!key) co_return key.error();
  auto request = co_await find_schema(registration.request_topic + "-value", deadline);
  if (!request) co_return request.error();
  auto response = co_await find_schema(registration.response_topic + "-value", deadline);
  if (!response) co_return response.error();
  const AgentSchemas schemas{*std::move(key), *std::move(request), *std::move(response)};
  const bool whole = schemas.request && schemas.response;
  if (!whole && plan_.settings.schemas == SchemaNeed::required) {
    co_return Error{Code::unavailable, fmt::format("there is no schema of {}-value",
                                                   schemas.request ? registration.response_topic
                                                                   : registration.request_topic)};
  }
  co_return schemas;
}

std::shared_ptr<const KafkaOffers> KafkaDirectory::offers() const {
  auto offers = std::make_shared<KafkaOffers>();
  for (const auto& [name, entry] : entries_) {
    if (!entry.offer) continue;
    const auto& of = entry.offer->registration;
    switch (kind_of(*entry.offer)) {
      case mcp::ItemKind::tool:
        offers->tools.emplace(of.name, entry.offer);
        break;
      case mcp::ItemKind::resource:
        offers->resources.emplace(of.url, entry.offer);
        break;
      default:
        offers->templates.push_back(entry.offer);
    }
  }
  return offers;
}

std::vector<RegistrationLine> KafkaDirectory::lines() const {
  std::vector<RegistrationLine> lines;
  for (const auto& [name, entry] : entries_) {
    lines.push_back({entry.registration, entry.offer != nullptr, entry.problem});
  }
  for (const auto& [name, why] : rejected_) {
    bus::Registration unread;
    unread.name = name;
    lines.push_back({std::move(unread), false, why});
  }
  return lines;
}

void KafkaDirectory::list_left_out(gateway::LeftOut& to) const {
  for (const auto& [name, entry] : entries_) {
    const bool hidden = !entry.offer && !entry.problem.empty();
    if (hidden) to.add(std::nullopt, name, entry.problem);
  }
  for (const auto& [name, why] : rejected_) {
    // Another registration of that name may be offered.
    if (!entries_.contains(name)) to.add(std::nullopt, name, why);
  }
}

std::string KafkaDirectory::problems() const {
  std::string text;
  std::size_t count = 0;
  for (const auto& line : lines()) {
    if (line.problem.empty() || ++count > kMaxProblems) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", line.registration.name, line.problem);
  }
  if (count > kMaxProblems) text += fmt::format("; and {} more", count - kMaxProblems);
  return text;
}

}  // namespace patchbay::upstreams
