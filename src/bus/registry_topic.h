// How registrations are put into the registry topic, and read from it. Whoever registers something
// does it by these: the gateway, the command line, and tools that are served on the bus. They are
// JSON whatever else there is: where the topic has Avro schemas they are written without a frame.
//
// Confined to the thread of the SchemaRegistry.
#pragma once

#include <optional>
#include <string>

#include "bus/record.h"
#include "bus/registration.h"
#include "bus/schema_registry.h"

namespace patchbay::bus {

// What registrations are written by; null: no schema.
struct RegistrationSchemas {
  SchemaRegistry::Schema key;
  SchemaRegistry::Schema value;
};

// Those of the topic, which are put into the registry if it has none. `registry` may be null.
Task<RegistrationSchemas> registration_schemas(SchemaRegistry* registry, std::string topic,
                                               Deadline deadline);

// A record to be put into the registry topic.
struct RegistrationRecord {
  std::string key;
  std::optional<std::string> value;  // Nothing: it takes the registration back.

  Outgoing to(std::string_view topic) const;  // REQUIRES: this and `topic` outlive it.
};

std::string registration_key_bytes(const RegistrationSchemas& schemas, std::string_view name);
// What does not fit the schema, as it may not know `retrieval`, is written without one.
std::string registration_value_bytes(const RegistrationSchemas& schemas,
                                     const Registration& registration);

// What a record of the registry topic says.
struct RegistryUpdate {
  std::string name;                          // Whose it is; empty if nothing in it says so.
  std::optional<Registration> registration;  // Nothing: it is taken back...
  std::string problem;                       // ...or, if this says why, cannot be understood.
};
RegistryUpdate read_registry_record(const Record& record);

}  // namespace patchbay::bus
