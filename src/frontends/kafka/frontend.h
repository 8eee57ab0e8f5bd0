// The frontend for callers on a Kafka bus: each tool is an agent with a topic for requests and one
// for replies. Nodes of the same group share the work. A request is committed only after its answer
// was sent, so another node may answer it if this one dies. A request that cannot be processed goes
// to a dead-letter topic after some attempts.
//
// Confined to the worker to which it is attached.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "async/scope.h"
#include "bus/correlation.h"
#include "bus/group_consumer.h"
#include "bus/producer.h"
#include "bus/reader.h"
#include "bus/registry_topic.h"
#include "bus/schema_registry.h"
#include "frontends/frontend.h"
#include "frontends/kafka/served_tool.h"
#include "frontends/kafka/settings.h"
#include "gateway/catalog/view.h"
#include "gateway/server.h"

namespace patchbay::frontends {

struct KafkaFrontendSettings {
  std::string group = "patchbay";
  std::string prefix;          // Of the names on the bus.
  std::string registry_topic;  // Where the tools are registered.
  int partitions = 6;          // For topics that must be created.
  bool unregister = false;     // For leaving the group at the end.
  KafkaFrontendLimits limits;
};

class KafkaRequest;

class KafkaFrontend final : public Frontend, bus::Producer::Events, bus::GroupConsumer::Events {
 public:
  // REQUIRES: server and catalog outlive this.
  KafkaFrontend(gateway::McpServer& server, gateway::CatalogView& catalog,
                bus::Connection connection, std::optional<bus::RegistrySettings> schemas,
                KafkaFrontendSettings settings);
  ~KafkaFrontend() override;

  // Serves until end(), then finishes the requests in progress, for at most `grace`. `ready` is
  // called with the number of served tools, each time when partitions have been assigned.
  Task<void> run(std::function<void(std::size_t tools)> ready, std::chrono::nanoseconds grace);
  void end() { ended_.deliver(ok()); }

  // Updates the registrations on the bus.
  void catalog_changed(gateway::CatalogChanges&) override { changed_.deliver(ok()); }

 private:
  using Tool = std::shared_ptr<ServedTool>;

  void on_delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) override;
  void on_trouble(const Error& error) override;
  void on_record(bus::OwnedMessage record) override;
  void on_assigned(std::size_t partitions) override;

  Result<void> open();
  Task<void> shut_down(Deadline deadline);
  Task<void> keep_published();
  Task<void> publish();
  Task<void> prepare_registry(Deadline deadline);
  Task<void> publish_one(ServedTool& tool, Deadline deadline);
  Task<void> write_registration(const ServedTool& tool, bool remove, Deadline deadline);
  Task<std::optional<int>> schema_id(std::string subject, std::string_view schema,
                                     Deadline deadline);
  std::vector<ServedTool> tools_now();

  Task<void> handle(bus::OwnedMessage record);
  Task<bool> answer(Tool tool, const bus::OwnedMessage& record, const std::string& id);
  Task<int> try_tool(KafkaRequest& request, mcp::Reply& outcome);
  Task<void> deliver(std::string topic, std::optional<std::string> key, std::string value,
                     std::vector<std::pair<std::string, std::string>> headers);
  Task<void> dead_letter(std::string topic, const bus::OwnedMessage& record, std::string why,
                         int tries);
  bool is_known(const std::string& id);

  gateway::McpServer& server_;
  gateway::CatalogView& catalog_;
  const KafkaFrontendSettings settings_;
  ThreadPool pool_{2, 1000};
  bus::Producer producer_;
  bus::Consumer consumer_;
  bus::GroupConsumer group_;
  std::unique_ptr<bus::SchemaRegistry> registry_;
  std::map<std::string, Tool> tools_;  // By request topic.
  bool registry_ready_ = false;
  bus::RegistrationSchemas schemas_;  // Of registrations.
  std::function<void(std::size_t)> ready_;
  OneShot<void> ended_;
  OneShot<void> changed_;
  std::uint64_t tags_ = 0;
  std::map<std::uint64_t, OneShot<bus::RecordMetadata>*> sending_;
  std::map<std::string, KafkaRequest*> asking_;  // Requests in progress, by id.
  std::deque<std::string> known_order_;
  std::set<std::string> known_;  // Ids of received requests.
  Scope publishing_;
  Scope requests_;
};

}  // namespace patchbay::frontends
