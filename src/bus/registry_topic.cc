#include "bus/registry_topic.h"

#include "bus/framing.h"

namespace patchbay::bus {

Task<RegistrationSchemas> registration_schemas(SchemaRegistry* registry, std::string topic,
                                               Deadline deadline) {
  RegistrationSchemas schemas;
  if (!registry) co_return schemas;
  for (const bool key : {true, false}) {
    const std::string subject = topic + (key ? "-key" : "-value");
    auto found = co_await registry->latest(subject, deadline);
    if (!found && found.error().code == Code::not_found) {
      auto added = co_await registry->add(
          subject, key ? kRegistrationKeySchema : kRegistrationSchema, deadline);
      if (!added) co_return added.error();
      found = co_await registry->latest(subject, deadline);
    }
    if (!found) co_return found.error();
    (key ? schemas.key : schemas.value) = *std::move(found);
  }
  co_return schemas;
}

Outgoing RegistrationRecord::to(std::string_view topic) const {
  Outgoing record{topic, key, std::nullopt};
  if (value) record.value = *value;
  return record;
}

std::string registration_key_bytes(const RegistrationSchemas& schemas, std::string_view name) {
  const std::string key = registration_key(name);
  return schemas.key && !schemas.key->avro ? frame(schemas.key->id, key) : key;
}

std::string registration_value_bytes(const RegistrationSchemas& schemas,
                                     const Registration& registration) {
  const std::string text = write_registration(registration);
  const auto& schema = schemas.value;
  const bool fits =
      schema && !schema->avro && (!schema->compiled || schema->compiled->validate(text));
  return fits ? frame(schema->id, text) : text;
}

RegistryUpdate read_registry_record(const Record& record) {
  RegistryUpdate update;
  if (const auto bytes = record.key()) {
    auto key = unframe(*bytes, record.header(kKeySchemaHeader));
    if (key) update.name = registered_name(key->payload);
  }
  // Not every tool can write a tombstone.
  const auto bytes = record.value();
  if (!bytes || bytes->empty()) return update;
  auto value = unframe(*bytes, record.header(kValueSchemaHeader));
  auto read = value ? read_registration(value->payload) : Result<Registration>(value.error());
  if (!read) {
    update.problem = read.error().message;
    return update;
  }
  if (update.name.empty()) update.name = read->name;
  update.registration = *std::move(read);
  return update;
}

}  // namespace patchbay::bus
