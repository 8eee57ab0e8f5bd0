// A KafkaClient is one worker's side of a bus: its calls in progress, and the replies to them.
// Requests are sent from the worker itself; the coordinator posts replies to it.
//
// Confined to its worker.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/framing.h"
#include "bus/producer.h"
#include "gateway/call/call.h"
#include "net/io/loop.h"
#include "observe/metrics.h"
#include "upstreams/client_calls.h"
#include "upstreams/kafka/completed_calls.h"
#include "upstreams/kafka/offer.h"
#include "upstreams/kafka/plan.h"

namespace patchbay::upstreams {

// Replies that no call waits for, counted by reason.
struct KafkaCounters {
  KafkaCounters(metrics::Registry& registry, std::string_view upstream);

  std::shared_ptr<metrics::Counter> late;        // The call has ended without an answer.
  std::shared_ptr<metrics::Counter> duplicate;   // The call has been answered.
  std::shared_ptr<metrics::Counter> foreign;     // The id was never one of ours.
  std::shared_ptr<metrics::Counter> misplaced;   // It arrived in the reply topic of another agent.
  std::shared_ptr<metrics::Counter> unreadable;  // It contains no id.
  std::shared_ptr<metrics::Counter> surplus;     // Too many replies waited.
  std::shared_ptr<metrics::Gauge> in_flight;
};

// The shared state of the clients of an upstream.
struct KafkaShared {
  KafkaShared(const KafkaPlan& of, bus::Producer& with, metrics::Registry& registry)
      : plan(of), producer(with), counters(registry, of.name) {}

  const KafkaPlan& plan;
  bus::Producer& producer;
  KafkaCounters counters;
  std::atomic<bool> down = true;  // No broker can be reached.
  // Asks the coordinator for a schema that a record names.
  std::function<Task<AgentSchema>(int id, std::string guid, Deadline deadline)> find_schema;
};

struct TopicOffer;

// A snapshot of the offers of agents, by their own names, and of the topics that are offered
// without an agent. Constant.
struct KafkaOffers {
  using Offer = std::shared_ptr<const KafkaOffer>;
  std::map<std::string, Offer, std::less<>> tools;
  std::map<std::string, Offer, std::less<>> resources;  // By URL.
  std::vector<Offer> templates;
  std::map<std::string, std::shared_ptr<const TopicOffer>, std::less<>> topics;

  Offer find_resource(std::string_view uri) const;
};

// A reply and its id.
struct KafkaArrival {
  std::string id;
  bus::Record record;
};

class KafkaClient final : private Executor::TurnEnd {
 public:
  // REQUIRES: `shared` outlives the client; `number` is less than 256.
  KafkaClient(net::Loop& loop, int number, KafkaShared& shared)
      : loop_(loop),
        number_(number),
        shared_(shared),
        over_(static_cast<std::size_t>(shared.plan.settings.limits.remembered)) {}

  net::Loop& loop() const { return loop_; }
  void use(std::shared_ptr<const KafkaOffers> offers) { offers_ = std::move(offers); }
  const KafkaOffers* offers() const { return offers_.get(); }

  // Calls the tool of an agent, or reads its resource.
  Task<mcp::Reply> call(const gateway::Call& call, std::string_view name);
  Task<mcp::Reply> read(const gateway::Call& call, std::shared_ptr<const KafkaOffer> offer,
                        std::string uri);

  // Sends a record and waits until the bus has stored it.
  Task<bus::RecordMetadata> send(const bus::Outgoing& record, Deadline deadline);

  // Replies have arrived.
  void take(std::vector<KafkaArrival> replies);
  // The outcome of the record that was sent with that tag.
  void delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome);

  // Lets calls finish until `deadline` and cancels the rest.
  Task<void> stop(Deadline deadline);

  // The client of an id or a tag.
  static std::size_t client_of(std::string_view id);
  static std::size_t client_of(std::uint64_t tag);
  // Whether a task waits for the delivery of the record, not only for its failure.
  static bool wants_success(std::uint64_t tag);

 private:
  // One call in progress. It is cancelled by the stop of the client or by its own caller.
  class Exchange;
  // One record being sent.
  struct Sending;

  Task<mcp::Reply> converse(const gateway::Call& call, Exchange& exchange,
                            std::string_view arguments);
  Error no_reply(const Exchange& exchange) const;
  Task<std::string> next_request(const gateway::Call& call, std::string question,
                                 const bus::Record& asked);
  Result<bus::Unframed> value_of(const bus::Record& record) const;
  Task<AgentSchema> find_named(const bus::Unframed& value, Deadline deadline);
  // Passes the requests of this turn to the producer together. The producer sends as soon as it is
  // woken, so requests passed one by one would be sent one by one.
  void on_turn_end() override;
  std::uint64_t next_tag(bool wants_success);

  net::Loop& loop_;
  const int number_;
  KafkaShared& shared_;
  std::shared_ptr<const KafkaOffers> offers_;
  std::unordered_map<std::string_view, Exchange*> calls_;  // By id, which the call owns.
  std::unordered_map<std::uint64_t, Exchange*> requests_;  // By tag.
  std::vector<std::uint64_t> outbox_;  // Tags of requests for the end of the turn.
  std::unordered_map<std::uint64_t, Sending*> sending_;  // By tag.
  std::uint64_t tags_ = 0;
  CompletedCalls over_;
  ClientCalls running_;
};

}  // namespace patchbay::upstreams
