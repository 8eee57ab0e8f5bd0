// A KafkaFollower follows topics for a bus upstream: it receives their records, runs related work
// in the background, and stops all of it together. The directory of agents, the topics that are
// read as a whole and the replies are followers.
//
// Confined to the upstream's owner worker.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "async/scope.h"
#include "bus/reader.h"
#include "upstreams/kafka/offer.h"
#include "upstreams/kafka/plan.h"

namespace patchbay::upstreams {

class KafkaFollower : public bus::Reader::Events {
 public:
  // Takes no more records and ends the work in progress. Called once.
  Task<void> stop();

 protected:
  // `registry` may be null. REQUIRES: all outlive the follower.
  KafkaFollower(const KafkaPlan& plan, bus::Consumer& consumer, bus::SchemaRegistry* registry);
  ~KafkaFollower() override;  // REQUIRES: stop() has yielded, or nothing was followed.

  void on_caught_up(const std::string&) override {}
  void on_unreadable(const std::string& topic, const Error& why) override;

  // Yields once the first attempt for everything has ended, or the follower is stopped.
  Task<void> first_look_over();

  // The newest schema of a subject; null if it has none. Code::unavailable if the schema cannot be
  // used.
  Task<AgentSchema> find_schema(std::string subject, Deadline deadline);

  // The content of a key or a value of a record.
  struct Content {
    std::string_view payload;                      // Without its frame.
    std::optional<Result<std::string>> avro = {};  // In JSON, if it is Avro and can be read.
    std::optional<int> unknown = {};               // The schema that is needed to decode it.

    // The content to use.
    std::string_view text() const { return avro && *avro ? std::string_view(**avro) : payload; }
  };
  Content content_of(std::string_view bytes, std::optional<std::string_view> header) const;

  // Fetches a schema that records name; on_learned() is called when that has ended, successfully or
  // not. False if it failed a moment ago, or too many are being fetched.
  bool learn(int schema);
  virtual void on_learned() {}
  // How many records may wait for that; more are processed without it.
  std::size_t most_waiting() const {
    return static_cast<std::size_t>(plan_.settings.limits.waiting);
  }
  // The follower stops, and records that wait for schemas must be released before their client is
  // destroyed.
  virtual void drop_waiting() {}

  const KafkaPlan& plan_;
  bus::Consumer& consumer_;
  bus::SchemaRegistry* const registry_;
  bus::Reader reader_;
  OneShot<void> first_look_;
  Scope scope_;  // Background work.

 private:
  Task<void> fetch(int schema);

  std::set<int> fetching_;           // Schemas,
  std::map<int, Deadline> in_vain_;  // and those that cannot be fetched before that time.
};

}  // namespace patchbay::upstreams
