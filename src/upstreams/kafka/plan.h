// What the settings of a bus come to, together with the environment: the names that agents' own
// programs use there are taken as they are. Reads the environment and the file .pid.
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
  std::string client_id = {};       // Empty: one is to be found.
  std::string registry_topic = {};
  std::optional<bus::RegistrySettings> schemas =
      {};  // Nothing: there is none, or the embedded one.
};

// What the environment says under a name; nothing if it does not.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

// The error names everything that is missing or wrong.
Result<KafkaPlan> plan_kafka(const std::string& name, const KafkaSettings& settings,
                             const Environment& environment);

// How that bus is reached, once it is known where the embedded one is, if it is that (else null).
bus::Connection connection_of(const KafkaPlan& plan, const bus::EmbeddedBus* embedded);

// Whether the environment says anything about a bus.
bool names_bus(const Environment& environment);

// Who we are to the brokers: what `file` holds, or a new id that is put there. Where that cannot
// be, an id for as long as the process lives.
std::string stored_client_id(const std::string& file);

}  // namespace patchbay::upstreams
