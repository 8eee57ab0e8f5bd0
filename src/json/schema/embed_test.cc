#include "json/schema/embed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "json/schema/schema.h"

namespace patchbay::json {
namespace {

std::string moved(std::string_view schema) { return moved_schema(schema, "#/x", "urn:n"); }

// What fits the schema alone fits it in the document too, and nothing else does.
void expect_same(std::string_view schema, std::initializer_list<std::string_view> values) {
  const std::string text = moved_schema(schema, "#/components/schemas/a~0b", "urn:test:name");
  // Beside it stands what has the same names and means something else.
  const std::string document = fmt::format(
      R"({{"$ref":"#/components/schemas/a~0b","components":{{"schemas":{{"a~b":{},"z":{{"$anchor":"here","not":{{}}}}}}}},"$defs":{{"n":{{"not":{{}}}}}},"definitions":{{"n":{{"not":{{}}}}}}}})",
      text);
  auto alone = Schema::compile(schema);
  auto inside = Schema::compile(document);
  ASSERT_TRUE(alone) << alone.error().message << schema;
  ASSERT_TRUE(inside) << inside.error().message << text;
  bool some_fit = false;
  bool some_do_not = false;
  for (const auto value : values) {
    const bool fits = static_cast<bool>((*alone)->validate(value));
    EXPECT_EQ(fits, static_cast<bool>((*inside)->validate(value))) << value << text;
    (fits ? some_fit : some_do_not) = true;
  }
  EXPECT_TRUE(some_fit && some_do_not) << schema;
}

TEST(SchemaMove, ReferencesFollowTheirSchema) {
  EXPECT_EQ(moved(R"({"$ref":"#"})"), R"({"$ref":"#/x"})");
  EXPECT_EQ(moved(R"({"allOf": [{"$ref":"#/$defs/a b~1c"}],"$defs":{"a b/c":{}}})"),
            R"({"allOf":[{"$ref":"#/x/$defs/a%20b~1c"}],"$defs":{"a b/c":{}}})");
  EXPECT_EQ(moved(R"({"properties":{"enum":{"$ref":"#"},"$ref":{"type":"string"}}})"),
            R"({"properties":{"enum":{"$ref":"#/x"},"$ref":{"type":"string"}}})");
}

TEST(SchemaMove, WhatIsNoReferenceIntoTheSchemaStays) {
  for (const auto* const schema :
       {R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})", R"({"const":{"$ref":"#/a"}})",
        R"({"examples":[{"$id":"a","$anchor":"b"}]})", "{}", "true", "7"}) {
    EXPECT_EQ(moved(schema), schema);
  }
}

TEST(SchemaMove, NamesBecomePaths) {
  EXPECT_EQ(
      moved(
          R"({"$id":"https://a/b","$schema":"https://json-schema.org/draft/2020-12/schema","items":{"$ref":"#here"},"$defs":{"n":{"$anchor":"here","type":"string"}}})"),
      R"({"items":{"$ref":"#/x/$defs/n"},"$defs":{"n":{"type":"string"}}})");
  EXPECT_EQ(moved(R"({"$dynamicAnchor":"t","properties":{"next":{"$dynamicRef":"#t"}}})"),
            R"({"properties":{"next":{"$ref":"#/x"}}})");
  EXPECT_EQ(
      moved(
          R"({"$dynamicAnchor":"t","items":{"$dynamicRef":"#t","$ref":"#/$defs/n","allOf":[true]},"$defs":{"n":{}}})"),
      R"({"items":{"$ref":"#/x/$defs/n","allOf":[{"$ref":"#/x"},true]},"$defs":{"n":{}}})");
}

TEST(SchemaMove, TheSameValuesFit) {
  expect_same(R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}})", {"1", "\"a\""});
  expect_same(R"({"$ref":"#here","$defs":{"n":{"$anchor":"here","type":"integer"}}})",
              {"1", "\"a\""});
  expect_same(
      R"({"$id":"https://a/b/c","$ref":"other","$defs":{"n":{"$id":"other","items":{"$ref":"#/$defs/m"},"$defs":{"m":{"type":"integer"}}},"m":{"type":"string"}}})",
      {"[1]", "[\"a\"]"});
  expect_same(
      R"({"type":"object","$dynamicAnchor":"t","properties":{"next":{"$dynamicRef":"#t"}},"additionalProperties":false})",
      {R"({"next":{"next":{}}})", R"({"next":{"x":{}}})"});
  expect_same(
      R"({"$ref":"#/unknown/a","unknown":{"a":{"items":{"$ref":"#/unknown/b"}},"b":{"type":"null"}}})",
      {"[null]", "[1]"});
}

TEST(SchemaMove, TheOlderDraftIsWrittenInTheNewerOne) {
  const std::string old = R"("$schema":"http://json-schema.org/draft-07/schema#")";
  expect_same("{" + old + R"(,"items":[{"type":"integer"}],"additionalItems":{"type":"string"}})",
              {"[1]", R"([1,"a"])", "[\"a\"]", "[1,1]"});
  expect_same("{" + old + R"(,"items":{"type":"integer"},"additionalItems":false})",
              {"[1,2]", "[\"a\"]"});
  expect_same(
      "{" + old +
          R"(,"dependencies":{"a":["b"],"c":{"required":["d"]},"e":{"$ref":"#/dependencies/c"}}})",
      {R"({"a":1,"b":1})", R"({"a":1})", R"({"c":1})", R"({"c":1,"d":1})", R"({"e":1})"});
  expect_same(
      "{" + old +
          R"(,"$ref":"#/definitions/n","minimum":5,"definitions":{"n":{"type":"integer"}}})",
      {"1", "\"a\""});
  expect_same(
      "{" + old +
          R"(,"items":{"$ref":"#here"},"definitions":{"n":{"$id":"#here","type":"integer"}}})",
      {"[1]", "[\"a\"]"});
  expect_same(
      "{" + old + R"(,"items":[{"type":"integer"},{"$ref":"#/items/0"}],"description":"two"})",
      {"[1,2]", "[1,\"a\"]"});
}

TEST(SchemaMove, WhatCannotBeMovedKeepsANameOfItsOwn) {
  // The reference means one or the other anchor, depending on the way to it.
  expect_same(
      R"({"$id":"https://a/list","$ref":"base","$defs":{"s":{"$dynamicAnchor":"item","type":"string"},"base":{"$id":"base","items":{"$dynamicRef":"#item"},"$defs":{"d":{"$dynamicAnchor":"item"}}}}})",
      {R"(["a"])", "[1]"});
  EXPECT_EQ(moved(R"({"$ref":"https://example.com/a"})"),
            R"({"$id":"urn:n","$ref":"https://example.com/a"})");
  EXPECT_EQ(moved(R"({"$id":"urn:own","$ref":"#/nowhere"})"),
            R"({"$id":"urn:own","$ref":"#/nowhere"})");
}

TEST(SchemaMove, HostileSchemasDoNotGrow) {
  const std::string key(100'000, 'k');
  std::string schema = fmt::format(R"({{"$defs":{{"{}":{{}}}},"allOf":[)", key);
  for (int i = 0; i < 1000; ++i) schema += fmt::format(R"({}{{"$ref":"#a"}})", i > 0 ? "," : "");
  schema += fmt::format(R"(],"properties":{{"{}":{{"$anchor":"a"}}}}}})", key);
  EXPECT_LT(moved(schema).size(), schema.size() + 5'000'000);
}

}  // namespace
}  // namespace patchbay::json
