// The KafkaDirectory knows what agents have registered: it reads the registry topic as a table,
// finds the schemas of each registration, has its reply topic followed, and tells whenever what is
// offered is another.
//
// Confined to the upstream's home.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/registry_topic.h"
#include "upstreams/kafka/client.h"
#include "upstreams/kafka/follower.h"

namespace patchbay::upstreams {

// A registration and what has become of it, as people are told.
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
    // What is wrong with registrations may be something else.
    virtual void on_looked() = 0;
    // The bus is there after all, or is not.
    virtual void on_bus(bool reachable, const std::string& why) = 0;
    // Follows where the replies of an agent come, or where its resource lies.
    virtual Task<void> follow(const KafkaOffer& offer, Deadline deadline) = 0;
    virtual Task<void> unfollow(const bus::Registration& registration) = 0;
  };

  // `registry` may be null. REQUIRES: all outlive the directory.
  KafkaDirectory(const KafkaPlan& plan, bus::Consumer& consumer, bus::SchemaRegistry* registry,
                 Events& events);
  ~KafkaDirectory() override;

  // Begins to read. Yields once everything that is registered has been looked at, or it is clear
  // that this will take longer; it goes on by itself.
  Task<void> start();

  // Something is wrong with the bus: has it looked for soon, and again until it is found.
  void look_again() { again_.deliver(ok()); }

  // What is offered.
  std::shared_ptr<const KafkaOffers> offers() const;
  std::vector<RegistrationLine> lines() const;
  bool caught_up() const { return caught_up_; }
  // What is wrong with registrations, in a sentence; empty if nothing is.
  std::string problems() const;

  // The records that put a registration into the topic, or, without one, take that name out of it:
  // under the keys by which it stands there, so that they replace it there too.
  Task<std::vector<bus::RegistrationRecord>> records_for(
      std::string name, std::optional<bus::Registration> registration, Deadline deadline);

  // Yields once the record at that place has been read and taken.
  Task<void> wait_taken(bus::RecordMetadata place, Deadline deadline);

 private:
  struct Entry {
    bus::Registration registration;
    std::shared_ptr<const KafkaOffer> offer = {};  // Null: not yet, or it cannot be offered.
    std::string problem = {};
    bool fresh = true;       // It has not been looked at since it changed.
    bool resolving = false;  // It is being looked at.
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
  std::map<std::string, std::string> rejected_;  // Why, by name; some of them.
  // The keys of what is known or rejected, as bytes, by name: one may be written in several ways.
  std::map<std::string, std::set<std::string>> keys_;
  std::map<std::int32_t, std::int64_t> taken_;  // The last offset, by partition.
  std::set<OneShot<void>*> waiting_;            // For something to be taken.
  bool caught_up_ = false;
  bool looked_ = false;  // At everything, once; from then on changes are told.
  OneShot<void> work_;   // Something is to be looked at.
  OneShot<void> again_;  // The bus itself is.
};

}  // namespace patchbay::upstreams
