// Schemas and values made to cost as much as they can.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/schema/schema.h"

namespace patchbay::json {
namespace {

Code refusal_code(std::string_view schema, const SchemaOptions& options = {}) {
  const auto out = Schema::compile(schema, options);
  EXPECT_FALSE(out);
  return out ? Code::internal : out.error().code;
}

Error failure(std::string_view schema, std::string_view value, const SchemaOptions& options = {}) {
  const auto compiled = Schema::compile(schema, options);
  EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
  if (!compiled) return {};
  auto out = (*compiled)->validate(value);
  EXPECT_FALSE(out);
  return out ? Error{} : out.error();
}

std::string nested(std::string_view open, std::string_view inside, std::string_view close,
                   int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += open;
  out += inside;
  for (int i = 0; i < times; ++i) out += close;
  return out;
}

TEST(SchemaLimits, BoundTheSchema) {
  EXPECT_EQ(refusal_code(std::string(2 << 20, ' ')), Code::too_large);
  EXPECT_EQ(refusal_code(nested(R"({"not":)", "true", "}", 100)), Code::parse_error);
  std::string many = R"({"anyOf":[)";
  for (int i = 0; i < 50; ++i) many += "{},";
  many += "{}]}";
  EXPECT_EQ(refusal_code(many, {.limits = {.values = 40}}), Code::too_large);
  EXPECT_EQ(refusal_code(many, {.limits = {.subschemas = 40}}), Code::too_large);
  EXPECT_TRUE(Schema::compile(many, {.limits = {.subschemas = 52}}));
  EXPECT_EQ(refusal_code(R"({"anyOf":[{"pattern":"a{40}"},{"pattern":"b{40}"}]})",
                         {.limits = {.patterns = 60}}),
            Code::too_large);
  EXPECT_EQ(refusal_code(R"({"pattern":"(a{1000}){1000}"})"), Code::too_large);
}

TEST(SchemaLimits, BoundTheWorkOfReferences) {
  std::string schema = R"({"$defs":{)";
  for (int i = 0; i < 2000; ++i) schema += fmt::format(R"("d{}":true,)", i);
  schema += R"("last":true},"anyOf":[)";
  for (int i = 0; i < 2000; ++i) schema += fmt::format(R"({{"$ref":"#/$defs/d{}"}},)", i);
  schema += "true]}";
  EXPECT_TRUE(Schema::compile(schema));
  EXPECT_EQ(refusal_code(schema, {.limits = {.compile = 1'000'000}}), Code::too_large);
}

TEST(SchemaLimits, BoundDynamicAnchorsAndNames) {
  std::string schema = R"({"$defs":{)";
  std::string uses;
  for (int i = 0; i < 100; ++i) {
    schema += fmt::format(R"("d{0}":{{"$id":"r{0}","$dynamicAnchor":"a{0}"}},)", i);
    uses += fmt::format(R"({{"$dynamicRef":"r{0}#a{0}"}},)", i);
  }
  schema += R"("last":true},"anyOf":[)" + uses + "true]}";
  EXPECT_EQ(refusal_code(schema), Code::too_large);
  EXPECT_EQ(refusal_code(R"({"$id":"http://a/)" + std::string(5000, 'x') + R"("})"),
            Code::invalid_params);
}

TEST(SchemaLimits, EndWithoutEndReferences) {
  const Error error = failure(R"({"$ref":"#"})", "1");
  EXPECT_EQ(error.code, Code::too_large);
  EXPECT_EQ(error.message, "the schema goes more than 512 subschemas deep here");
  EXPECT_EQ(failure(R"({"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},
                        "b":{"anyOf":[{"not":{"$ref":"#/$defs/a"}},false]}}})",
                    "1")
                .code,
            Code::too_large);
  // It turns over with every level of `not`, and still is no answer.
  EXPECT_EQ(failure(R"({"not":{"$ref":"#"}})", "1").code, Code::too_large);
}

TEST(SchemaLimits, EndSchemasThatDoubleTheWorkAtEachLevel) {
  constexpr std::string_view kSchema =
      R"({"anyOf":[{"items":{"$ref":"#"},"not":{}},{"items":{"$ref":"#"},"not":true}]})";
  const Error error = failure(kSchema, nested("[", "1", "]", 60));
  EXPECT_EQ(error.code, Code::too_large);
  EXPECT_EQ(error.message, "the schema takes more than 5000000 steps here");
}

TEST(SchemaLimits, BoundTheValue) {
  std::string value = "[0";
  for (int i = 0; i < 200; ++i) value += ",0";
  value += "]";
  EXPECT_EQ(failure("{}", value, {.limits = {.value_parts = 100}}).code, Code::too_large);
  EXPECT_EQ(failure(R"({"items":{"type":"number"}})", value, {.limits = {.steps = 100}}).code,
            Code::too_large);
  EXPECT_EQ(failure("{}", std::string(100, '[')).code, Code::parse_error);
}

// Elements that are equal but for their end, keys in another order, one long string: linear work.
TEST(SchemaLimits, UniqueItemsTakesNoSquare) {
  std::string value = "[0";
  for (int i = 1; i < 50'000; ++i)
    value += fmt::format(R"(,{{"a":"{}","b":{}}})", std::string(20, 'x'), i);
  value += "]";
  const auto schema = Schema::compile(R"({"uniqueItems":true})");
  ASSERT_TRUE(schema);
  EXPECT_TRUE((*schema)->validate(value));
}

TEST(SchemaLimits, LongStringsAndPatternsCostSteps) {
  const std::string value = "\"" + std::string(1'000'000, 'a') + "\"";
  EXPECT_EQ(failure(R"({"pattern":"([ab]*a[ab]{300})+c"})", value).code, Code::too_large);
  EXPECT_EQ(failure(R"({"pattern":"(a*)*b"})", value).code, Code::invalid_params);
}

}  // namespace
}  // namespace patchbay::json
