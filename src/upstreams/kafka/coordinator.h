// The KafkaCoordinator is the part of a bus upstream that belongs to one worker: the connections,
// the directory of agents, the topics that are read as a whole. It posts replies to the clients of
// the workers whose calls they answer.
//
// Confined to its worker, except the producer's send(), unsent() and unread().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "async/gate.h"
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
    // The current offers. REQUIRES of the receiver: every client has the offers before the items
    // become visible.
    virtual void on_offers(std::shared_ptr<const KafkaOffers> offers, mcp::ItemLists items) = 0;
    virtual void on_updated(const std::string& uri) = 0;
    // Whether the bus is usable, and the problem if not.
    virtual void on_state(bool up, const std::string& detail) = 0;
    // The agents and topics that are not offered.
    virtual void on_left_out(gateway::LeftOut left_out) = 0;
  };

  // REQUIRES: all outlive the coordinator, which may be made on any thread.
  KafkaCoordinator(const KafkaPlan& plan, bus::Connection connection,
                   std::optional<bus::RegistrySettings> schemas, net::Loop& loop,
                   std::vector<std::unique_ptr<KafkaClient>>& clients, Events& events);
  ~KafkaCoordinator() override;

  net::Loop& loop() const { return loop_; }
  bus::Producer& producer() { return producer_; }
  // Records that wait to be sent, and those on the bus that have not been read. Any thread.
  std::int64_t unsent() const { return producer_.waiting(); }
  std::int64_t unread() const { return live_.unread() + tables_.unread(); }
  // Called once the clients exist.
  void share(KafkaShared& shared) { shared_ = &shared; }

  // Starts. Yields once the first attempt to find all agents and topics has ended, successfully or
  // not.
  Task<void> start();

  // Two steps: after the first one nothing more is posted to the clients; before the second one
  // they must have released their records.
  Task<void> stop_reading();
  Task<void> stop(Deadline deadline);

  // The newest records of a topic, over a connection of their own.
  Task<std::vector<bus::StoredRecord>> last_records(std::string topic, std::size_t count,
                                                    Deadline deadline);

  // What the consumer groups of agents have not read of these topics.
  Task<bus::LagReport> agent_lag(std::vector<std::string> topics);

  // A schema that a record names.
  Task<AgentSchema> find_schema(int id, std::string guid, Deadline deadline);

  // The registrations, and how they are changed; see KafkaDirectory.
  std::vector<RegistrationLine> lines() const;
  Task<std::vector<bus::RegistrationRecord>> records_for(
      std::string name, std::optional<bus::Registration> registration, Deadline deadline);
  Task<void> wait_taken(bus::RecordMetadata at, Deadline deadline);

  // The content at a URI of a configured topic, or of an agent that stores its resources there.
  Result<mcp::Reply> read_topic(std::string_view uri) const;
  Result<mcp::Reply> read_topic(const KafkaOffer& offer, std::string_view uri,
                                bool keeps_null) const;

 private:
  // Reads the replies.
  class Replies;

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
  gateway::LeftOut left_out() const;

  const KafkaPlan& plan_;
  const bus::Connection connection_;
  const std::optional<bus::RegistrySettings> schemas_;
  net::Loop& loop_;
  std::vector<std::unique_ptr<KafkaClient>>& clients_;
  Events& events_;
  KafkaShared* shared_ = nullptr;
  ThreadPool pool_;
  bus::Producer producer_;
  bus::Consumer live_;    // For replies.
  bus::Consumer tables_;  // For topics that are read from the beginning.
  std::unique_ptr<bus::SchemaRegistry> registry_;
  std::unique_ptr<Replies> replies_;
  std::unique_ptr<KafkaTopics> topics_;
  std::unique_ptr<KafkaDirectory> directory_;
  std::set<std::string> prepared_;  // Topics that the producer knows, or will know soon.
  Scope preparing_;
  Gate requests_;  // Requests of workers, in the directory or the schema registry.
  bool started_ = false;
  bool stopping_ = false;
  bool reachable_ = false;
  std::string why_ = "starting";
  std::string trouble_;  // The last error of librdkafka since the bus was reachable.
};

}  // namespace patchbay::upstreams
