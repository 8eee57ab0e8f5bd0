// The bus that a command uses: the one that is named, that of a configuration or of the
// environment, or the one inside the gateway on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "async/task.h"
#include "async/timers.h"
#include "upstreams/kafka/plan.h"

namespace patchbay::app {

struct BusOptions {
  std::string broker;           // host:port[,host:port…]
  std::string schema_registry;  // http(s)://…
  std::string registry_topic;
  std::vector<std::string> properties;  // name=value, of librdkafka.
  std::string config;                   // A configuration with an upstream of kind kafka...
  std::string upstream;                 // ...and which of them.
  double seconds = 30;
  bool json = false;
};

struct BusTarget {
  bus::Connection connection;
  std::optional<bus::RegistrySettings> schemas;
  std::string registry_topic;
};

// Code::invalid_params if what was typed or configured is wrong, Code::unavailable if there is no
// bus to be found.
Task<BusTarget> find_bus(BusOptions options, Deadline deadline);

}  // namespace patchbay::app
