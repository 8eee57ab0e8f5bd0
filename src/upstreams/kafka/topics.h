// KafkaTopics are the topics that are read as a whole: those that the configuration offers without
// an agent, and those in which agents store their resources. Their content can be read, and
// subscribers are notified of changes.
//
// Confined to the upstream's owner worker.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/left_out.h"
#include "mcp/items.h"
#include "mcp/reply.h"
#include "upstreams/kafka/follower.h"
#include "upstreams/kafka/table.h"

namespace patchbay::upstreams {

// A configured topic, once its schema is known. Constant; shared by all workers.
struct TopicOffer {
  std::string name;
  TopicSettings settings;  // With the topic filled in.
  std::string uri;         // The URI of its newest records; the URI of one key is below it.
  AgentSchema schema;      // Of its values,
  AgentSchema key_schema;  // and of its keys.
};

// Its definition in a list.
void add_items(const TopicOffer& offer, mcp::ItemLists& items);

// Key and value of a record that puts the raw `value` into the topic. A value that does not match
// an Avro schema is an error.
Result<std::string> topic_key(const TopicOffer& offer, std::string_view key);
Result<std::string> topic_value(const TopicOffer& offer, std::string_view value);

class KafkaTopics final : public KafkaFollower {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_offers_changed() = 0;
    virtual void on_updated(const std::string& uri) = 0;
  };

  // `registry` may be null. REQUIRES: all outlive this.
  KafkaTopics(const KafkaPlan& plan, bus::Consumer& consumer, bus::SchemaRegistry* registry,
              Events& events);
  ~KafkaTopics() override;

  // Starts to read the configured topics. Yields once each has been attempted; continues in the
  // background.
  Task<void> start();

  // Reads the resources of an agent from a topic.
  Task<void> follow(std::string topic, Deadline deadline);
  Task<void> leave(std::string topic);

  const std::vector<std::shared_ptr<const TopicOffer>>& offers() const { return offers_; }
  std::string problems() const;
  // Adds the configured topics that are not offered.
  void list_left_out(gateway::LeftOut& to) const;

  // The content at a URI of a configured topic.
  Result<mcp::Reply> read(std::string_view uri) const;
  // The latest record of `uri` in a topic in which an agent stores resources.
  Result<mcp::Reply> read(const KafkaOffer& offer, std::string_view uri, bool keeps_null) const;

 private:
  struct Topic {
    KafkaTable table;
    std::string uri = {};  // Of a topic of the configuration.
    // A record whose schema is being fetched, and all later records, since their order matters.
    std::deque<bus::Record> waiting = {};
  };

  void on_records(std::vector<bus::Record> records) override;
  void on_learned() override;
  void drop_waiting() override;
  bool take(Topic& topic, const bus::Record& record, bool may_wait);
  void notify(const Topic& topic, const std::string& key);
  Task<void> keep_resolving();
  Task<void> resolve();
  Task<std::shared_ptr<const TopicOffer>> resolve_one(std::string name, TopicSettings settings);

  Events& events_;
  std::map<std::string, Topic, std::less<>> topics_;
  std::vector<std::shared_ptr<const TopicOffer>> offers_;
  std::map<std::string, std::string> problems_;  // By name.
};

}  // namespace patchbay::upstreams
