#include "json/schema/schema.h"

#include <gtest/gtest.h>

#include <thread>

#include "json/read.h"

namespace patchbay::json {
namespace {

std::shared_ptr<const Schema> compiled(std::string_view text, const SchemaOptions& options = {}) {
  auto schema = Schema::compile(text, options);
  EXPECT_TRUE(schema) << text << ": " << (schema ? "" : schema.error().message);
  return schema ? *std::move(schema) : nullptr;
}

// What validate() says; empty if the value fits.
std::string fault(std::string_view schema, std::string_view value,
                  const SchemaOptions& options = {}) {
  const auto verdict = compiled(schema, options)->validate(value);
  return verdict ? "" : verdict.error().message;
}

std::string refusal(std::string_view schema, const SchemaOptions& options = {}) {
  const auto out = Schema::compile(schema, options);
  return out ? "" : out.error().message;
}

constexpr std::string_view kTool = R"({
  "type": "object",
  "properties": {
    "text": { "type": "string", "minLength": 2, "pattern": "^[a-z]+$" },
    "count": { "type": "integer", "minimum": 1, "maximum": 10 },
    "mode": { "enum": ["fast", "slow"] },
    "where": { "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] },
    "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "maxItems": 3 }
  },
  "required": ["text"],
  "additionalProperties": false
})";

TEST(Schema, ReportsLocationAndReason) {
  EXPECT_EQ(fault(kTool, R"({"text":"ab","count":3,"mode":"fast","where":{"x":1.5},"tags":["a"]})"),
            "");
  EXPECT_EQ(fault(kTool, "[]"), "must be an object, is an array (type)");
  EXPECT_EQ(fault(kTool, "{}"), "the property \"text\" is missing (required)");
  EXPECT_EQ(fault(kTool, R"({"text":5})"), "/text: must be a string, is 5 (type)");
  EXPECT_EQ(fault(kTool, R"({"text":"é"})"),
            "/text: must have at least 2 characters, has 1 (minLength)");
  EXPECT_EQ(fault(kTool, R"({"text":"aB"})"), "/text: must match the pattern ^[a-z]+$ (pattern)");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","count":1.5})"),
            "/count: must be a whole number, is 1.5 (type)");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","count":11})"),
            "/count: must be at most 10, is 11 (maximum)");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","mode":"x"})"),
            R"(/mode: must be one of ["fast", "slow"] (enum))");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","where":{"x":"1"}})"),
            "/where/x: must be a number, is a string (type)");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","where":{}})"),
            "/where: the property \"x\" is missing (required)");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","a/b":1})"),
            "/a~1b: is a property that is not allowed here (additionalProperties)");
  EXPECT_EQ(fault(kTool, R"({"text":"ab","tags":["a","b","a"]})"),
            "/tags/2: must not be equal to /tags/0 (uniqueItems)");
}

TEST(Schema, GivesProgramsTheSame) {
  const auto verdict = compiled(kTool)->validate(R"({"text":"ab","where":{"x":"1"}})");
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Code::invalid_params);
  EXPECT_EQ(string_member(verdict.error().data, "pointer"), "/where/x");
  EXPECT_EQ(string_member(verdict.error().data, "keyword"), "type");
  EXPECT_EQ(string_member(verdict.error().data, "reason"), "must be a number, is a string");
}

TEST(Schema, NamesTheNearestAlternative) {
  constexpr std::string_view kSchema = R"({"anyOf":[{"type":"string"},
    {"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"number"}}}}}]})";
  EXPECT_EQ(fault(kSchema, R"({"a":{"b":"x"}})"),
            "matches none of 2 alternatives; nearest: /a/b: must be a number, is a string (anyOf)");
  EXPECT_EQ(fault(R"({"oneOf":[{"type":"number"},{"minimum":1}]})", "2"),
            "matches more than one of the alternatives (oneOf)");
}

TEST(Schema, CollectsViolations) {
  const auto schema = compiled(kTool);
  const std::string_view value = R"({"text":5,"count":0,"mode":"x","colour":1,"tags":["a",2]})";
  const auto all = schema->violations(value, 100);
  ASSERT_TRUE(all);
  std::vector<std::string> pointers;
  for (const Violation& one : *all) pointers.push_back(one.pointer);
  EXPECT_EQ(pointers, (std::vector<std::string>{"/text", "/count", "/mode", "/colour", "/tags/1"}));
  EXPECT_EQ(schema->violations(value, 2)->size(), 2U);
  EXPECT_EQ(schema->violations(value, 0)->size(), 1U);
  EXPECT_TRUE(schema->violations(R"({"text":"ab"})", 100)->empty());
  // What is tried without harm is no violation.
  EXPECT_TRUE(compiled(R"({"anyOf":[{"type":"string"},{"type":"null"}],"not":{"const":1},
                           "if":{"type":"number"},"contains":{"const":1}})")
                  ->violations("null", 100)
                  ->empty());
}

TEST(Schema, RefusesValuesThatReadersDisagreeAbout) {
  EXPECT_EQ(fault(kTool, R"({"text":"ab","text":"cd"})"), R"(the key "text" appears twice)");
  EXPECT_EQ(compiled(kTool)->validate("{").error().code, Code::parse_error);
  // An unpaired surrogate is a character like another.
  EXPECT_EQ(fault(R"({"maxLength":1})", R"("\ud800")"), "");
}

// What the bytes settle is not counted, and what they do not settle is.
TEST(Schema, CountsCharactersNotBytes) {
  const std::string_view two = R"({"minLength":2,"maxLength":2})";
  for (const auto* const value :
       {R"("ab")", R"("éé")", R"("😀😀")", R"("\u00e9\n")", R"("\ud83d\ude00\ud83d\ude00")"}) {
    EXPECT_EQ(fault(two, value), "") << value;
  }
  for (const auto* const value : {R"("a")", R"("é")", R"("😀")", R"("\ud83d\ude00")", R"("")"}) {
    EXPECT_NE(fault(two, value).find("(minLength)"), std::string::npos) << value;
  }
  for (const auto* const value : {R"("abc")", R"("ééé")", R"("\n\n\n")"}) {
    EXPECT_NE(fault(two, value).find("(maxLength)"), std::string::npos) << value;
  }
}

TEST(Schema, ReadsTheDialectFromTheSchema) {
  constexpr std::string_view kOld =
      R"({"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false})";
  EXPECT_EQ(fault(kOld, R"(["a"])"), "");
  EXPECT_EQ(fault(kOld, R"(["a",1])"), "/1: is not allowed here (false)");
  constexpr std::string_view kSiblings =
      R"({"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s","maxLength":1})";
  EXPECT_NE(fault(kSiblings, R"("ab")"), "");
  EXPECT_EQ(fault(kSiblings, R"("ab")", {.default_draft = Draft::draft_07}), "");
  EXPECT_EQ(refusal(R"({"$schema":"http://json-schema.org/draft-03/schema#"})"),
            "the schema: the dialect http://json-schema.org/draft-03/schema# is not supported");
}

TEST(Schema, ReportsFaultsOfASchema) {
  EXPECT_EQ(refusal("5"), "the schema at its root: must be an object, true or false");
  EXPECT_EQ(refusal(R"({"type":"strng"})"), "the schema at /type: must be the name of a type");
  EXPECT_EQ(refusal(R"({"properties":{"a":{"minimum":"1"}}})"),
            "the schema at /properties/a/minimum: must be a number");
  EXPECT_EQ(refusal(R"({"minLength":-1})"),
            "the schema at /minLength: must be a whole number from 0 on");
  EXPECT_EQ(refusal(R"({"multipleOf":0})"), "the schema at /multipleOf: must be above zero");
  EXPECT_EQ(refusal(R"({"anyOf":[]})"), "the schema at /anyOf: must not be empty");
  EXPECT_EQ(refusal(R"_({"pattern":"(a)\\1"})_"),
            "the schema at /pattern: the pattern (a)\\1 cannot be used: it refers back to a group, "
            "which linear time does not allow");
  EXPECT_EQ(refusal(R"({"items":[true]})"),
            "the schema at /items: must be an object, true or false");
  EXPECT_EQ(refusal(R"({"required":"a"})"), "the schema at /required: must be an array");
  EXPECT_EQ(refusal(R"({"a":1,"a":2})"), R"(the schema: the key "a" appears twice)");
  EXPECT_EQ(refusal("{"), "the schema: invalid JSON at byte 1: the text ends inside an object");
}

TEST(Schema, FetchesNothing) {
  EXPECT_EQ(
      refusal(R"({"properties":{"a":{"$ref":"https://example.com/a.json"}}})"),
      "the schema at /properties/a/$ref: https://example.com/a.json is not known, and nothing "
      "is fetched");
  EXPECT_EQ(refusal(R"({"$ref":"#/$defs/b","$defs":{"a":true}})"),
            "the schema at /$ref: there is nothing at b of /$defs");
  EXPECT_EQ(refusal(R"({"$ref":"#b"})"), "the schema at /$ref: there is no anchor b");
  const SchemaDocument known[] = {{"https://example.com/a.json", R"({"type":"integer"})"}};
  EXPECT_EQ(fault(R"({"$ref":"https://example.com/a.json"})", "1.5", {.documents = known}),
            "must be a whole number, is 1.5 (type)");
}

TEST(Schema, KnowsTheMetaschemas) {
  for (const std::string_view uri : {"https://json-schema.org/draft/2020-12/schema",
                                     "http://json-schema.org/draft-07/schema#"}) {
    const std::string schema = R"({"$ref":")" + std::string(uri) + R"("})";
    EXPECT_EQ(fault(schema, kTool), "");
    EXPECT_EQ(fault(schema, R"({"properties":{"a":{"minLength":-1}}})"),
              "/properties/a/minLength: must be at least 0, is -1 (minimum)");
    EXPECT_NE(fault(schema, R"({"not":{"allOf":[{"type":"strng"}]}})"), "");
  }
}

TEST(Schema, ChecksFormatsOnlyWhenAsked) {
  constexpr std::string_view kSchema = R"({"format":"date"})";
  EXPECT_EQ(fault(kSchema, R"("2026-02-30")"), "");
  EXPECT_EQ(fault(kSchema, R"("2026-02-30")", {.formats = true}),
            "must have the format date (format)");
  EXPECT_EQ(fault(kSchema, R"("2028-02-29")", {.formats = true}), "");
  EXPECT_EQ(fault(R"({"format":"no-such-format"})", R"("x")", {.formats = true}), "");
}

TEST(Schema, NoticesWhatNobodyLookedAt) {
  constexpr std::string_view kSchema = R"({
    "allOf": [{ "properties": { "a": true } }],
    "if": { "properties": { "b": { "const": 1 } }, "required": ["b"] },
    "unevaluatedProperties": false })";
  EXPECT_EQ(fault(kSchema, R"({"a":0,"b":1})"), "");
  EXPECT_EQ(fault(kSchema, R"({"a":0,"b":2})"),
            "/b: is a property that is not allowed here (unevaluatedProperties)");
}

TEST(Schema, IsSharedByThreads) {
  const auto schema = compiled(kTool);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&schema] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_TRUE(schema->validate(R"({"text":"ab","tags":["a","b"]})"));
        EXPECT_FALSE(schema->validate(R"({"text":"ab","tags":["a","a"]})"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace patchbay::json
