// The KafkaDirectory holds the registrations of agents: it reads the registry topic as a table,
// finds the schemas of each registration, has its reply topic followed, and notifies when the
// offers change.
//
// Confined to the upstream's owner worker.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/registry_topic.h"
#include "gateway/call/left_out.h"
#include "upstreams/kafka/client.h"
#include "upstreams/kafka/follower.h"

namespace patchbay::upstreams {

// A registration and its state, as listed for people.
struct RegistrationLine {
  bus::Registration registration;
  bool offered = false;
  std::string problem;
};

class KafkaDirectory final : public KafkaFollower {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_offers_changed() = 0;
    // The problems of registrations may have changed.
    virtual void on_looked() = 0;
    // The bus has become reachable, or unreachable.
    virtual void on_bus(bool reachable, const std::string& why) = 0;
    // Follows the reply topic of an agent, or the topic of its resource.
    virtual Task<void> follow(const KafkaOffer& offer, Deadline deadline) = 0;
    virtual Task<void> unfollow(const bus::Registration& registration) = 0;
  };

  // `registry` may be null. REQUIRES: all outlive the directory.
  KafkaDirectory(const KafkaPlan& plan, bus::Consumer& consumer, bus::SchemaRegistry* registry,
                 Events& events);
  ~KafkaDirectory() override;

  // Starts to read. Yields once all registrations have been resolved, or once it is clear that this
  // will take longer; it continues in the background.
  Task<void> start();

  // The bus has a problem: probes it soon, and again until it is reachable.
  void look_again() { again_.deliver(ok()); }

  // The current offers.
  std::shared_ptr<const KafkaOffers> offers() const;
  std::vector<RegistrationLine> lines() const;
  bool caught_up() const { return caught_up_; }
  // The problems of registrations, in a sentence; empty if there are none.
  std::string problems() const;

  // Adds the registrations that are not offered.
  void list_left_out(gateway::LeftOut& to) const;

  // The records that put a registration into the topic or, without one, remove that name from it.
  // They have the keys that the topic has for the name, so that they replace the old ones.
  Task<std::vector<bus::RegistrationRecord>> records_for(
      std::string name, std::optional<bus::Registration> registration, Deadline deadline);

  // Yields once the record at that offset has been read and applied.
  Task<void> wait_taken(bus::RecordMetadata at, Deadline deadline);

 private:
  struct Entry {
    bus::Registration registration;
    std::shared_ptr<const KafkaOffer> offer =
        {};  // Null: not resolved yet, or it cannot be offered.
    std::string problem = {};
    bool fresh = true;       // Not resolved since it changed.
    bool resolving = false;  // Being resolved.
  };

  void on_records(std::vector<bus::Record> records) override;
  void on_caught_up(const std::string& topic) override;
  void on_unreadable(const std::string& topic, const Error& why) override;

  void take(const bus::Record& record);
  void note_key(const std::string& name, std::string_view key, bool stands);
  void reject(const std::string& name, const std::string& why);
  void remove(const std::string& name);
  Task<void> keep_reading();
  Task<void> begin();
  Task<void> keep_resolving();
  Task<void> resolve_all(bool everything);
  Task<void> resolve(std::string name);
  Task<AgentSchemas> find_schemas(const bus::Registration& registration, Deadline deadline);
  Task<void> release(bus::Registration registration);
  bool is_first_look_over() const;

  Events& events_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> rejected_;  // Reasons, by name; only some of them.
  // The keys of known and rejected registrations, as bytes, by name: one name may have several.
  std::map<std::string, std::set<std::string>> keys_;
  std::map<std::int32_t, std::int64_t> taken_;  // The last offset, by partition.
  std::set<OneShot<void>*> waiting_;            // For a record to be applied.
  bool caught_up_ = false;
  bool looked_ = false;  // All have been resolved once; from then on changes are notified.
  OneShot<void> work_;   // There are entries to resolve.
  OneShot<void> again_;  // The problem of the bus itself.
};

}  // namespace patchbay::upstreams
