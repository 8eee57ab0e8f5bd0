#include "upstreams/openapi/schema.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::upstreams {
namespace {

struct Converted {
  std::string schema;
  std::string definitions;
  std::string problem;
  bool too_large = false;
};

// Of the schema "s" in a document of these further members.
Converted convert(const std::string& schema, const std::string& more = "",
                  SchemaUse use = SchemaUse::sent, std::size_t most = 10'000) {
  auto document = OpenapiDocument::read(R"({"openapi":"3.0.3","s":)" + schema + more + "}", 10'000);
  Converted made;
  if (!document) {
    made.problem = document.error().message;
    return made;
  }
  OpenapiSchemas schemas(*document, use, most);
  made.schema = schemas.convert(*document->find(0, "s"));
  made.definitions = schemas.definitions();
  made.problem = schemas.problem();
  made.too_large = schemas.too_large();
  return made;
}

std::string of(const std::string& schema) { return convert(schema).schema; }

TEST(OpenapiSchema, Translates30To202012) {
  EXPECT_EQ(of(R"({"type":"string","nullable":true})"), R"({"type":["string","null"]})");
  EXPECT_EQ(of(R"({"type":"string","nullable":true,"enum":["a"]})"),
            R"({"type":["string","null"],"enum":["a",null]})");
  EXPECT_EQ(of(R"({"minimum":1,"exclusiveMinimum":true,"maximum":5,"exclusiveMaximum":false})"),
            R"({"exclusiveMinimum":1,"maximum":5})");
  EXPECT_EQ(of(R"({"exclusiveMinimum":3})"), R"({"exclusiveMinimum":3})");
  EXPECT_EQ(of(R"({"type":"string","example":"x"})"), R"({"type":"string","examples":["x"]})");
  EXPECT_EQ(of(R"({"nullable":true,"allOf":[{"type":"string"}]})"),
            R"({"anyOf":[{"allOf":[{"type":"string"}]},{"type":"null"}]})");
  EXPECT_EQ(of(R"({"type":"string","format":"binary"})"),
            R"({"type":"string","contentEncoding":"base64"})");
  EXPECT_EQ(of(R"({"type":"string","format":"date"})"), R"({"type":"string","format":"date"})");
}

TEST(OpenapiSchema, LeavesWhatIs31AsItIs) {
  const std::string stateless =
      R"({"type":["string","null"],"const":"a","examples":["a"],"exclusiveMaximum":5,)"
      R"("prefixItems":[{"type":"integer"}],"if":{"minLength":1},"then":true})";
  EXPECT_EQ(of(stateless), stateless);
  EXPECT_EQ(convert(R"({"$ref":"#/t","description":"here"})", R"(,"t":{"type":"string"})").schema,
            R"({"$ref":"#/$defs/t","description":"here"})");
}

TEST(OpenapiSchema, LeavesOutWhatJsonSchemaDoesNotKnow) {
  EXPECT_EQ(of(R"({"type":"object","discriminator":{},"xml":{},"x-a":1,"externalDocs":{}})"),
            R"({"type":"object"})");
  EXPECT_EQ(of(R"({"x-a":1})"), "{}");
  EXPECT_EQ(of("true"), "true");
  EXPECT_EQ(of("[]"), "true");
}

TEST(OpenapiSchema, PassesOnWhatSchemasAreMadeOf) {
  const std::string all =
      R"({"allOf":[{"type":"object"}],"oneOf":[true],"anyOf":[{}],"not":{"x-y":1},)"
      R"("additionalProperties":{"type":"integer"},"items":{"type":"string"}})";
  EXPECT_EQ(of(all), R"({"allOf":[{"type":"object"}],"oneOf":[true],"anyOf":[{}],"not":{},)"
                     R"("additionalProperties":{"type":"integer"},"items":{"type":"string"}})");
  // Names of properties are not keywords, and data is not a schema.
  EXPECT_EQ(of(R"({"properties":{"nullable":{"type":"string"},"$ref":{}},"default":{"x-a":1}})"),
            R"({"properties":{"nullable":{"type":"string"},"$ref":{}},"default":{"x-a":1}})");
}

TEST(OpenapiSchema, PutsWhatIsReferredToIntoDefinitionsOnce) {
  const auto made = convert(R"({"properties":{"a":{"$ref":"#/c/Pet"},"b":{"$ref":"#/c/Pet"}}})",
                            R"(,"c":{"Pet":{"type":"object","properties":{)"
                            R"("mother":{"$ref":"#/c/Pet"},"tag":{"$ref":"#/d/Pet"}}}},)"
                            R"("d":{"Pet":{"type":"string"}})");
  EXPECT_EQ(made.schema,
            R"({"properties":{"a":{"$ref":"#/$defs/Pet"},"b":{"$ref":"#/$defs/Pet"}}})");
  EXPECT_EQ(made.definitions,
            R"({"Pet":{"type":"object","properties":{"mother":{"$ref":"#/$defs/Pet"},)"
            R"("tag":{"$ref":"#/$defs/Pet_2"}}},"Pet_2":{"type":"string"}})");
  EXPECT_EQ(made.problem, "");
}

TEST(OpenapiSchema, AllowsEverythingWhereAReferenceLeadsNowhere) {
  const auto made = convert(R"({"properties":{"a":{"$ref":"file:///etc/passwd"}}})");
  EXPECT_EQ(made.schema, R"({"properties":{"a":{}}})");
  EXPECT_NE(made.problem.find("file:///etc/passwd"), std::string::npos);
}

TEST(OpenapiSchema, LeavesOutWhatIsOnlyReadOrOnlyWritten) {
  const std::string schema =
      R"({"properties":{"id":{"readOnly":true},"secret":{"writeOnly":true},"n":{}},)"
      R"("required":["id","secret","n"]})";
  EXPECT_EQ(of(schema), R"({"properties":{"secret":{},"n":{}},"required":["secret","n"]})");
  EXPECT_EQ(convert(schema, "", SchemaUse::received).schema,
            R"({"properties":{"id":{},"n":{}},"required":["id","n"]})");
}

TEST(OpenapiSchema, StopsWhereItWouldBeTooLarge) {
  std::string wide = R"({"properties":{)";
  for (int i = 0; i < 100; ++i) wide += (i ? ",\"p" : "\"p") + std::to_string(i) + "\":{}";
  const auto made = convert(wide + "}}", "", SchemaUse::sent, 200);
  EXPECT_TRUE(made.too_large);
  EXPECT_LT(made.schema.size(), 1000U);
  EXPECT_TRUE(json::check(made.schema));
}

}  // namespace
}  // namespace patchbay::upstreams
