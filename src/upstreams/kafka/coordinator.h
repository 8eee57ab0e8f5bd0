// The KafkaCoordinator is the part of a bus upstream that belongs to one worker: the connections,
// the directory of agents, the topics that are read as a whole. It brings replies to the lanes of
// the workers whose calls they answer.
//
// Confined to its worker, except the producer's send().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "async/thread_pool.h"
#include "bus/producer.h"
#include "bus/reader.h"
#include "upstreams/kafka/client.h"
#include "upstreams/kafka/directory.h"
#include "upstreams/kafka/topics.h"

namespace patchbay::upstreams {

class KafkaCoordinator final : bus::Producer::Events,
                               public KafkaDirectory::Events,
                               public KafkaTopics::Events {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // What is offered now. REQUIRES of the receiver: every lane has the offers before anybody can
    // see the items.
    virtual void on_offers(std::shared_ptr<const KafkaOffers> offers, mcp::ItemLists items) = 0;
    virtual void on_updated(const std::string& uri) = 0;
    // Whether the bus can be used, and what is wrong.
    virtual void on_state(bool up, const std::string& detail) = 0;
  };

  // REQUIRES: all outlive the home, which is made on any thread.
  KafkaCoordinator(const KafkaPlan& plan, bus::Connection connection,
                   std::optional<bus::RegistrySettings> schemas, net::Loop& loop,
                   std::vector<std::unique_ptr<KafkaClient>>& clients, Events& events);
  ~KafkaCoordinator() override;

  net::Loop& loop() const { return loop_; }
  bus::Producer& producer() { return producer_; }
  // Set once the lanes are made.
  void share(KafkaShared& shared) { shared_ = &shared; }

  // Begins. Yields once the first attempt to find everything has ended, well or not.
  Task<void> start();

  // Two steps: after the first nothing more is brought to the lanes; before the second they must
  // have let go of what was.
  Task<void> stop_reading();
  Task<void> stop(Deadline deadline);

  // A schema that a record names.
  Task<AgentSchema> find_schema(int id, std::string guid, Deadline deadline);

  // What is registered, and how that is changed; see KafkaDirectory.
  std::vector<RegistrationLine> lines() const;
  Task<std::vector<bus::RegistrationRecord>> records_for(
      std::string name, std::optional<bus::Registration> registration, Deadline deadline);
  Task<void> wait_taken(bus::RecordMetadata place, Deadline deadline);

  // What is at a URI of a topic of the configuration, or of an agent that keeps its resources
  // there.
  Result<mcp::Reply> read_topic(std::string_view uri) const;
  Result<mcp::Reply> read_topic(const KafkaOffer& offer, std::string_view uri,
                                bool keeps_null) const;

 private:
  // What replies are read by.
  class Replies;
  // Somebody asks something that must not go away meanwhile.
  class Asking;

  void on_delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) override;
  void on_trouble(const Error& error) override;
  void on_offers_changed() override;
  void on_looked() override { notify_state(); }
  void on_updated(const std::string& uri) override { events_.on_updated(uri); }
  void on_bus(bool reachable, const std::string& why) override;
  Task<void> follow(const KafkaOffer& offer, Deadline deadline) override;
  Task<void> unfollow(const bus::Registration& registration) override;
  void prepare(const std::string& topic);
  void notify_state();

  const KafkaPlan& plan_;
  const std::optional<bus::RegistrySettings> schemas_;
  net::Loop& loop_;
  std::vector<std::unique_ptr<KafkaClient>>& clients_;
  Events& events_;
  KafkaShared* shared_ = nullptr;
  ThreadPool pool_;
  bus::Producer producer_;
  bus::Consumer live_;    // For replies.
  bus::Consumer tables_;  // For what is read from its beginning.
  std::unique_ptr<bus::SchemaRegistry> registry_;
  std::unique_ptr<Replies> replies_;
  std::unique_ptr<KafkaTopics> topics_;
  std::unique_ptr<KafkaDirectory> directory_;
  std::set<std::string> prepared_;  // Topics that the producer knows, or will soon.
  Scope preparing_;
  int asking_ = 0;
  OneShot<void> unasked_;  // Nobody asks any more.
  bool started_ = false;
  bool stopping_ = false;
  bool reachable_ = false;
  std::string why_ = "starting";
  std::string trouble_;  // What librdkafka has last said, since the bus was there.
};

}  // namespace patchbay::upstreams
