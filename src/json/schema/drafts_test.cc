// What the older drafts say otherwise than draft-07 and 2020-12, which the public suite covers.
#include <gtest/gtest.h>

#include "json/schema/schema.h"

namespace patchbay::json {
namespace {

struct DraftCase {
  const char* schema;  // With $ in the place of its `$schema`.
  const char* value;
  bool valid;
};

void check(std::string_view uri, std::span<const DraftCase> cases) {
  for (const DraftCase& one : cases) {
    std::string text = one.schema;
    text.replace(text.find('$'), 1, "\"$schema\":\"" + std::string(uri) + "\"");
    const auto schema = Schema::compile(text);
    ASSERT_TRUE(schema) << text << ": " << schema.error().message;
    EXPECT_EQ(static_cast<bool>((*schema)->validate(one.value)), one.valid)
        << text << " and " << one.value;
  }
}

TEST(SchemaDrafts, Draft04) {
  constexpr DraftCase kCases[] = {
      {R"({$,"minimum":1,"exclusiveMinimum":true})", "1", false},
      {R"({$,"minimum":1,"exclusiveMinimum":true})", "1.1", true},
      {R"({$,"minimum":1,"exclusiveMinimum":false})", "1", true},
      {R"({$,"maximum":3,"exclusiveMaximum":true})", "3", false},
      {R"({$,"maximum":3,"exclusiveMaximum":true})", "2", true},
      {R"({$,"exclusiveMaximum":true})", "3", true},
      // Keywords that it does not have yet.
      {R"({$,"const":1,"contains":{"const":1},"propertyNames":{"maxLength":1}})", "2", true},
      {R"({$,"if":true,"then":false})", "1", true},
      {R"({$,"$id":7})", "1", true},
      {R"({$,"items":[{"type":"string"}],"additionalItems":false})", R"(["a",1])", false},
      {R"({$,"dependencies":{"a":["b"]}})", R"({"a":1})", false},
      {R"({$,"$ref":"#/definitions/a","maximum":1,"definitions":{"a":{"type":"integer"}}})", "2",
       true},
      {R"({$,"id":"http://x/root","properties":{"a":{"$ref":"item"}},
           "definitions":{"i":{"id":"item","type":"integer"}}})",
       R"({"a":"1"})", false},
      {R"({$,"properties":{"a":{"$ref":"#here"}},"definitions":{"i":{"id":"#here","type":"integer"}}})",
       R"({"a":"1"})", false},
      {R"({$,"properties":{"id":{"type":"integer"}}})", R"({"id":"x"})", false},
      {R"({$,"properties":{"s":{"$ref":"http://json-schema.org/draft-04/schema#"}}})",
       R"({"s":{"minimum":"x"}})", false},
      {R"({$,"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":{}}})",
       R"({"a":1})", true},
  };
  check("http://json-schema.org/draft-04/schema#", kCases);
}

TEST(SchemaDrafts, Draft06) {
  constexpr DraftCase kCases[] = {
      {R"({$,"exclusiveMinimum":1})", "1", false},
      {R"({$,"const":1})", "2", false},
      {R"({$,"contains":{"const":1}})", "[2]", false},
      {R"({$,"propertyNames":{"maxLength":1}})", R"({"ab":1})", false},
      {R"({$,"if":true,"then":false})", "1", true},
      {R"({$,"properties":{"a":{"$ref":"#here"}},"definitions":{"i":{"$id":"#here","type":"integer"}}})",
       R"({"a":"1"})", false},
      {R"({$,"$ref":"http://json-schema.org/draft-06/schema#"})", R"({"minimum":"x"})", false},
  };
  check("http://json-schema.org/draft-06/schema#", kCases);
}

TEST(SchemaDrafts, Draft201909) {
  constexpr DraftCase kCases[] = {
      {R"({$,"$ref":"#/$defs/a","maximum":1,"$defs":{"a":{"type":"integer"}}})", "2", false},
      {R"({$,"items":[{"type":"string"}],"additionalItems":false})", R"(["a",1])", false},
      {R"({$,"prefixItems":[{"type":"string"}]})", "[1]", true},
      {R"({$,"contains":{"const":1},"minContains":2})", "[1]", false},
      {R"({$,"contains":{"const":1},"minContains":2})", "[1,1]", true},
      {R"({$,"dependentRequired":{"a":["b"]}})", R"({"a":1})", false},
      {R"({$,"properties":{"a":true},"unevaluatedProperties":false})", R"({"b":1})", false},
      {R"({$,"items":[true],"unevaluatedItems":false})", "[1,2]", false},
      // What `contains` finds counts as evaluated from 2020-12 on.
      {R"({$,"contains":{"const":1},"unevaluatedItems":false})", "[1]", false},
      {R"({$,"properties":{"a":{"$ref":"#here"}},"$defs":{"i":{"$anchor":"here","type":"integer"}}})",
       R"({"a":"1"})", false},
      {R"({$,"$ref":"https://json-schema.org/draft/2019-09/schema"})", R"({"minimum":"x"})", false},
      {R"({$,"$ref":"https://json-schema.org/draft/2019-09/schema"})",
       R"({"properties":{"a":{"minimum":"x"}}})", false},
      {R"({$,"$ref":"https://json-schema.org/draft/2019-09/schema"})",
       R"({"properties":{"a":{"minimum":1}}})", true},
      // A tree of integers, extended to one of strings or integers.
      {R"({$,"$id":"http://x/wide","$recursiveAnchor":true,
           "anyOf":[{"type":"string"},{"$ref":"http://x/tree"}],
           "$defs":{"t":{"$id":"http://x/tree","$recursiveAnchor":true,
             "anyOf":[{"type":"integer"},{"type":"array","items":{"$recursiveRef":"#"}}]}}})",
       R"([1,["a"]])", true},
      {R"({$,"$id":"http://x/wide","$recursiveAnchor":true,
           "anyOf":[{"type":"string"},{"$ref":"http://x/tree"}],
           "$defs":{"t":{"$id":"http://x/tree",
             "anyOf":[{"type":"integer"},{"type":"array","items":{"$recursiveRef":"#"}}]}}})",
       R"([1,["a"]])", false},
  };
  check("https://json-schema.org/draft/2019-09/schema", kCases);
}

TEST(SchemaDrafts, BothSchemesAreWritten) {
  for (const auto* const uri :
       {"https://json-schema.org/draft-04/schema", "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft/2019-09/schema#"}) {
    EXPECT_TRUE(Schema::compile("{\"$schema\":\"" + std::string(uri) + "\"}")) << uri;
  }
  EXPECT_FALSE(Schema::compile(R"({"$schema":"http://json-schema.org/draft-03/schema#"})"));
}

TEST(SchemaDrafts, OneInsideAnother) {
  const auto schema = Schema::compile(R"({"properties":{"a":{
      "$id":"http://x/old","$schema":"http://json-schema.org/draft-06/schema#",
      "items":[{"type":"string"}]},
      "b":{"id":"http://x/older","$schema":"http://json-schema.org/draft-04/schema#",
      "minimum":1,"exclusiveMinimum":true}}})");
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_FALSE((*schema)->validate(R"({"a":[1]})"));
  EXPECT_FALSE((*schema)->validate(R"({"b":1})"));
}

}  // namespace
}  // namespace patchbay::json
