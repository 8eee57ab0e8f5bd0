#include "bus/registry_topic.h"

#include <gtest/gtest.h>

#include "bus/framing.h"

namespace patchbay::bus {
namespace {

SchemaRegistry::Schema schema(int id, std::string_view text, bool in_avro) {
  auto found = std::make_shared<RegisteredSchema>();
  found->id = id;
  found->text = text;
  if (in_avro) {
    auto avro = AvroSchema::parse(text);
    EXPECT_TRUE(avro) << avro.error().message;
    found->avro = *avro;
    found->text = found->avro->json_schema();
  }
  auto compiled = json::Schema::compile(found->text);
  EXPECT_TRUE(compiled) << compiled.error().message;
  found->compiled = *compiled;
  return found;
}

TEST(RegistryTopic, RegistrationsAreFramedByWhatTheyFitAndAlwaysJson) {
  const Registration registration{"n", "d", "in", "out"};
  const std::string key = registration_key("n");
  const std::string value = write_registration(registration);

  const RegistrationSchemas typed{schema(1, kRegistrationKeySchema, false),
                                  schema(2, kRegistrationSchema, false)};
  EXPECT_EQ(registration_key_bytes(typed, "n"), frame(1, key));
  EXPECT_EQ(registration_value_bytes(typed, registration), frame(2, value));

  const RegistrationSchemas narrow{{}, schema(2, R"({"maxProperties":1})", false)};
  EXPECT_EQ(registration_key_bytes(narrow, "n"), key);
  EXPECT_EQ(registration_value_bytes(narrow, registration), value);

  const auto avro = schema(3, R"({"type":"map","values":["string","boolean"]})", true);
  const RegistrationSchemas binary{avro, avro};
  EXPECT_EQ(registration_key_bytes(binary, "n"), key);
  EXPECT_EQ(registration_value_bytes(binary, registration), value);
}

}  // namespace
}  // namespace patchbay::bus
