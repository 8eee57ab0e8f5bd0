#include "upstreams/kafka/offer.h"

#include <gtest/gtest.h>

#include "bus/framing.h"
#include "json/read.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kId = "11111111-2222-4333-8444-555555555500";

AgentSchema schema(int id, std::string text) {
  auto compiled = json::Schema::compile(text, {.default_draft = json::Draft::draft_07});
  EXPECT_TRUE(compiled) << compiled.error().message;
  return std::make_shared<const bus::RegisteredSchema>(
      bus::RegisteredSchema{id, bus::SchemaKind::json, std::move(text), *compiled});
}

// As the registry returns it.
AgentSchema avro(int id, std::string_view text) {
  auto parsed = bus::AvroSchema::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  bus::RegisteredSchema found{id, bus::SchemaKind::avro, (*parsed)->json_schema(), {}, {}, *parsed};
  auto compiled = json::Schema::compile(found.text);
  EXPECT_TRUE(compiled) << compiled.error().message;
  found.compiled = *compiled;
  return std::make_shared<const bus::RegisteredSchema>(std::move(found));
}

KafkaOffer tool(AgentSchemas schemas, std::string field = "correlationId") {
  bus::Registration registration{"t", "d", "in", "out"};
  registration.correlation_field = std::move(field);
  return make_offer(std::move(registration), std::move(schemas), false);
}

std::string input_of(const KafkaOffer& offer) {
  return std::string(*json::member(item_of(offer).definition, "inputSchema"));
}

TEST(KafkaOffer, WithoutSchemasTakesAnyObjectAndSendsItBare) {
  const KafkaOffer offer = tool({});
  EXPECT_EQ(input_of(offer), R"({"type":"object"})");
  EXPECT_FALSE(json::member(item_of(offer).definition, "outputSchema"));
  EXPECT_EQ(*request_key(offer, kId), R"({"correlationId":")" + std::string(kId) + "\"}");
  EXPECT_EQ(*request_value(offer, R"({"a":1})", kId, 0), R"({"a":1})");
}

TEST(KafkaOffer, FramesKeyAndValueWithTheirSchemas) {
  const std::string any = R"({"type":"object"})";
  const KafkaOffer offer = tool({schema(7, any), schema(8, any), schema(9, any)}, "requestId");
  EXPECT_EQ(*request_key(offer, "x"), bus::frame(7, R"({"requestId":"x"})"));
  EXPECT_EQ(*request_value(offer, "{}", "x", 0), bus::frame(8, "{}"));
  EXPECT_EQ(json::member(item_of(offer).definition, "outputSchema"), any);
}

TEST(KafkaOffer, PutsArgumentsIntoAnEnvelopeWhereThereIsOne) {
  const KafkaOffer offer = tool(
      {{},
       schema(1, R"({"type":"object","properties":{"requestIndex":{"type":"integer"},)"
                 R"("payload":{"type":"object","properties":{"n":{"$ref":"#/definitions/n"}}}},)"
                 R"("definitions":{"n":{"type":"integer"}}})"),
       {}});
  EXPECT_EQ(offer.shape, RequestShape::envelope);
  auto input = json::Schema::compile(input_of(offer));
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_TRUE((*input)->validate(R"({"n":1})"));
  EXPECT_FALSE((*input)->validate(R"({"n":"1"})"));
  EXPECT_EQ(*request_value(offer, R"({"n":1})", kId, 2),
            bus::frame(1, R"({"requestIndex":2,"payload":{"n":1}})"));
}

// As Flink writes a nullable column, and as others write what they use twice.
TEST(KafkaOffer, FindsThePayloadThatMayBeNullOrStandsElsewhere) {
  const std::string order = R"({"type":"object","properties":{"n":{"type":"integer"}}})";
  for (const std::string& payload :
       {R"({"connect.index":1,"oneOf":[{"type":"null"},)" + order + "]}",
        std::string(R"({"$ref":"#/definitions/order"})"),
        std::string(R"({"type":["null","object"],"properties":{"n":{"type":"integer"}}})")}) {
    const KafkaOffer offer =
        tool({{},
              schema(1, R"({"type":"object","properties":{"requestIndex":{"type":"integer"},)"
                        R"("payload":)" +
                            payload + R"(},"definitions":{"order":)" + order + "}}"),
              {}});
    EXPECT_EQ(offer.shape, RequestShape::envelope) << payload;
    EXPECT_EQ(json::string_member(input_of(offer), "type"), "object");
    auto input = json::Schema::compile(input_of(offer));
    ASSERT_TRUE(input) << input.error().message;
    EXPECT_TRUE((*input)->validate(R"({"n":1})"));
    EXPECT_FALSE((*input)->validate(R"({"n":"1"})"));
    EXPECT_EQ(*request_value(offer, R"({"n":1})", kId, 0),
              bus::frame(1, R"({"requestIndex":0,"payload":{"n":1}})"));
  }
}

TEST(KafkaOffer, AWholeSchemaMayStandElsewhereToo) {
  const KafkaOffer offer =
      tool({{},
            schema(1, R"({"$ref":"#/definitions/order","definitions":{"order":)"
                      R"({"type":"object","properties":{"correlationId":{},)"
                      R"("n":{"type":"integer"}}}}})"),
            {}});
  EXPECT_EQ(offer.shape, RequestShape::plain);
  auto input = json::Schema::compile(input_of(offer));
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_FALSE((*input)->validate(R"({"n":"1"})"));
  EXPECT_FALSE(json::member(*json::member(input_of(offer), "properties"), "correlationId"));
  EXPECT_EQ(*request_value(offer, R"({"n":1})", "x", 0),
            bus::frame(1, R"({"correlationId":"x","n":1})"));
}

TEST(KafkaOffer, APayloadThatIsNoObjectIsAnArgument) {
  const KafkaOffer offer =
      tool({{}, schema(1, R"({"type":"object","properties":{"payload":{"type":"string"}}})"), {}});
  EXPECT_EQ(offer.shape, RequestShape::wrapped_envelope);
  EXPECT_EQ(input_of(offer),
            R"({"type":"object","properties":{"value":{"type":"string"}},"required":["value"]})");
  EXPECT_EQ(*request_value(offer, R"({"value":"v"})", kId, 0),
            bus::frame(1, R"({"requestIndex":0,"payload":"v"})"));
}

TEST(KafkaOffer, FillsInTheIdThatTheValueDeclares) {
  const KafkaOffer offer =
      tool({{},
            schema(1, R"({"type":"object","properties":{"requestId":{"type":"string"},)"
                      R"("n":{"type":"integer"}},"required":["requestId","n"]})"),
            {}},
           "requestId");
  EXPECT_EQ(input_of(offer),
            R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})");
  EXPECT_EQ(*request_value(offer, R"({"requestId":"forged","n":1})", "x", 0),
            bus::frame(1, R"({"requestId":"x","n":1})"));
}

TEST(KafkaOffer, WrapsAValueThatIsNoObject) {
  const KafkaOffer offer = tool({{}, schema(1, R"({"type":"string"})"), {}});
  EXPECT_EQ(input_of(offer),
            R"({"type":"object","properties":{"value":{"type":"string"}},"required":["value"]})");
  EXPECT_EQ(*request_value(offer, R"({"value":"v"})", kId, 0), bus::frame(1, "\"v\""));
}

TEST(KafkaOffer, AWrappedValueStillFindsWhatItRefersTo) {
  const KafkaOffer offer = tool({{},
                                 schema(4, R"({"type":"array","items":{"$ref":"#/definitions/n"},)"
                                           R"("definitions":{"n":{"type":"integer"}}})"),
                                 {}});
  auto input = json::Schema::compile(input_of(offer));
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_TRUE((*input)->validate(R"({"value":[1]})"));
  EXPECT_FALSE((*input)->validate(R"({"value":["1"]})"));
}

TEST(KafkaOffer, PromisesWhatIsInsideTheEnvelope) {
  const KafkaOffer offer =
      tool({{},
            {},
            schema(1, R"({"type":"object","properties":{"status":{"type":"string"},)"
                      R"("payload":{"type":"object","properties":{"x":{"type":"integer"}}}}})")});
  EXPECT_EQ(json::member(item_of(offer).definition, "outputSchema"),
            R"({"type":"object","properties":{"x":{"type":"integer"}}})");
}

constexpr std::string_view kKeyRecord =
    R"({"type":"record","name":"K","fields":[{"name":"correlationId","type":"string"}]})";

TEST(KafkaOffer, WritesAvroByItsSchemas) {
  const auto number =
      avro(8, R"({"type":"record","name":"R","fields":[{"name":"n","type":"int"}]})");
  const KafkaOffer offer = tool({avro(7, kKeyRecord), number, number});
  EXPECT_EQ(*request_key(offer, "ab"), bus::frame(7, "\4ab"));
  EXPECT_EQ(*request_value(offer, R"({"n":3})", "ab", 0), bus::frame(8, "\6"));
  auto wrong = request_value(offer, R"({"n":"3"})", "ab", 0);
  EXPECT_EQ(wrong.error().code, Code::invalid_params);
  EXPECT_EQ(wrong.error().message, "/n must be of the type int");
  EXPECT_EQ(*request_key(tool({avro(7, R"("string")"), {}, {}}), "ab"), bus::frame(7, "\4ab"));
  const KafkaOffer nullable = tool({avro(7, R"(["null","string"])"), {}, {}});
  EXPECT_EQ(*request_key(nullable, "ab"), bus::frame(7, "\2\4ab"));
  // No room for the id.
  EXPECT_FALSE(request_key(tool({avro(7, kKeyRecord), {}, {}}, "requestId"), "ab"));
  EXPECT_FALSE(request_key(tool({avro(7, R"("int")"), {}, {}}), "ab"));
}

TEST(KafkaOffer, AvroHasAnEnvelopeOnlyWhereAllOfItIs) {
  const std::string payload =
      R"({"name":"payload","type":{"type":"record","name":"P","fields":[{"name":"n","type":"int"}]}})";
  const auto whole = tool(
      {{},
       avro(1, R"({"type":"record","name":"R","fields":[{"name":"requestIndex","type":"int"},)" +
                   payload + "]}"),
       {}});
  EXPECT_EQ(whole.shape, RequestShape::envelope);
  EXPECT_EQ(*request_value(whole, R"({"n":3})", kId, 1), bus::frame(1, "\2\6"));
  const auto part =
      tool({{}, avro(1, R"({"type":"record","name":"R","fields":[)" + payload + "]}"), {}});
  EXPECT_EQ(part.shape, RequestShape::plain);
  EXPECT_EQ(*request_value(part, R"({"payload":{"n":3}})", kId, 1), bus::frame(1, "\6"));
}

TEST(KafkaOffer, IsAResourceOrATemplate) {
  bus::Registration registration{"r", "d", "in", "out"};
  registration.is_resource = true;
  registration.mime_type = "text/plain";
  registration.url = "client/{id}";
  KafkaOffer offer = make_offer(registration, {}, true);
  EXPECT_TRUE(offer.from_topic);
  EXPECT_EQ(kind_of(offer), mcp::ItemKind::resource_template);
  EXPECT_EQ(json::string_member(item_of(offer).definition, "uriTemplate"), "client/{id}");
  offer.registration.url = "client";
  EXPECT_EQ(kind_of(offer), mcp::ItemKind::resource);
  EXPECT_EQ(item_of(offer).key, "client");
}

}  // namespace
}  // namespace patchbay::upstreams
