// A BusClient is a command's connection to a bus: it sends records, reads topics, and looks up
// metadata.
//
// Confined to the thread of its loop.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/producer.h"
#include "bus/reader.h"
#include "bus/registry_topic.h"
#include "bus/schema_registry.h"
#include "cli/bus_target.h"

namespace patchbay::app {

class BusClient final : bus::Producer::Events, bus::Reader::Events {
 public:
  // Handles a record; false: that was the last.
  using Take = std::function<Task<bool>(const bus::Record&)>;

  explicit BusClient(BusTarget target);
  ~BusClient() override;

  Result<void> open();
  Task<void> close();

  // Sends a record and waits until the bus has stored it.
  Task<bus::RecordMetadata> send(const bus::Outgoing& record, Deadline deadline);

  // Passes the records of a topic to `take`, one at a time, until `take` ends it or fails, the end
  // of the topic at the start is reached (`to_end`), or time is up, which is Code::timeout.
  // Code::too_large if records arrive much faster than `take` handles them.
  Task<void> read(std::string topic, bool from_beginning, bool to_end, Take take,
                  Deadline deadline);

  bus::Consumer& consumer() { return consumer_; }
  bus::SchemaRegistry* schemas() { return schemas_.get(); }  // Null: there is none.
  const BusTarget& target() const { return target_; }

  // The last error of the bus, in its own text; empty if there was none.
  const std::string& trouble() const { return trouble_; }

 private:
  void on_delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) override;
  void on_trouble(const Error& error) override { trouble_ = error.message; }
  void on_records(std::vector<bus::Record> records) override;
  void on_caught_up(const std::string& topic) override;
  void on_unreadable(const std::string& topic, const Error& why) override;
  Task<void> take_all(const Take& take, Deadline deadline);
  void end(Result<void> why);

  const BusTarget target_;
  ThreadPool pool_{2, 16};
  bus::Producer producer_;
  bus::Consumer consumer_;
  std::unique_ptr<bus::SchemaRegistry> schemas_;
  OneShot<bus::RecordMetadata> delivered_;
  std::string trouble_;
  // While reading.
  std::deque<bus::Record> arrived_;
  std::optional<Result<void>> ended_;  // No more records will arrive, for this reason.
  bool to_end_ = false;
  OneShot<void> update_;  // Of one of these members.
};

// A registration, and its keys in the registry topic, as bytes.
struct StandingRegistration {
  bus::Registration registration;
  std::set<std::string> keys;
};

// The current registrations in the registry topic, by name.
Task<std::vector<StandingRegistration>> read_registrations(BusClient& client, Deadline deadline);

// Runs `work` with a client of the bus that the options name; yields the exit code.
int run_bus(const BusOptions& options, const std::function<Task<int>(BusClient&, Deadline)>& work);

}  // namespace patchbay::app
