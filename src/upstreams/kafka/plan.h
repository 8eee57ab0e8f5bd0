// The effective settings of a bus, from the configuration and the environment: the variables of the
// agents' own programs have the same meaning here.
//
// Reads the environment and the file .pid.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bus/connection.h"
#include "bus/schema_registry.h"
#include "upstreams/kafka/settings.h"

namespace patchbay::bus {
class EmbeddedBus;
}

namespace patchbay::upstreams {

struct KafkaPlan {
  std::string name;
  KafkaSettings settings;
  bus::Connection connection = {};  // Without brokers, if the bus is embedded.
  std::string client_id = {};       // Empty: none is named.
  bool from_environment = false;    // The brokers are those of the environment's variables.
  std::string registry_topic = {};
  std::optional<bus::RegistrySettings> schemas =
      {};  // Nothing: there is none, or the embedded one.
};

// The value of a variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

// The error names all missing and invalid settings.
Result<KafkaPlan> plan_kafka(const std::string& name, const KafkaSettings& settings,
                             const Environment& environment);

// The connection settings, once the address of the embedded bus is known, if that is used (else
// null).
bus::Connection connection_of(const KafkaPlan& plan, const bus::EmbeddedBus* embedded);

// Whether the environment configures a bus.
bool names_bus(const Environment& environment);

// Our id for brokers of the environment: the content of `file`, or a new id that is stored there.
// If storing fails, the id is valid for this process only.
std::string stored_client_id(const std::string& file);

}  // namespace patchbay::upstreams
