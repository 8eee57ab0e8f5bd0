// How registrations are written to the registry topic, and read from it. The gateway, the command
// line, and tools that are served on the bus all use it. Registrations are always JSON: where the
// topic has Avro schemas they are written without a frame.
//
// Confined to the thread of the SchemaRegistry.
#pragma once

#include <optional>
#include <string>

#include "bus/record.h"
#include "bus/registration.h"
#include "bus/schema_registry.h"

namespace patchbay::bus {

// The schemas for writing registrations; null: none.
struct RegistrationSchemas {
  SchemaRegistry::Schema key;
  SchemaRegistry::Schema value;
};

// Those of the topic, which are added to the registry if it has none. `registry` may be null.
Task<RegistrationSchemas> registration_schemas(SchemaRegistry* registry, std::string topic,
                                               Deadline deadline);

// A record for the registry topic.
struct RegistrationRecord {
  std::string key;
  std::optional<std::string> value;  // Nothing: removes the registration.

  Outgoing to(std::string_view topic) const;  // REQUIRES: this and `topic` outlive it.
};

std::string registration_key_bytes(const RegistrationSchemas& schemas, std::string_view name);
// A registration that does not fit the schema, which may lack `retrieval`, is written without one.
std::string registration_value_bytes(const RegistrationSchemas& schemas,
                                     const Registration& registration);

// A parsed record of the registry topic.
struct RegistryUpdate {
  std::string name;                          // Of the agent; empty if unknown.
  std::optional<Registration> registration;  // Nothing: it is removed...
  std::string problem;                       // ...or, if this is not empty, invalid.
};
RegistryUpdate read_registry_record(const Record& record);

}  // namespace patchbay::bus
