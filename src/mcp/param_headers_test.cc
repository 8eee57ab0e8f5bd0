#include "mcp/param_headers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace patchbay::mcp {
namespace {

using Type = ParamHeader::Type;

std::string schema_of(std::string_view properties) {
  return fmt::format(R"({{"type":"object","properties":{}}})", properties);
}

// What is wrong with it, or nothing.
std::string fault(std::string_view schema) {
  const auto headers = param_headers(schema);
  return headers ? "" : headers.error().message;
}

TEST(ParamHeaders, AreFoundThroughProperties) {
  const auto headers = param_headers(schema_of(
      R"({"region":{"type":"string","x-mcp-header":"Region"},)"
      R"("deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},)"
      R"("ok":{"x-mcp-header":"Ok","type":"boolean"},"query":{"type":"string"}})"));
  ASSERT_TRUE(headers) << headers.error().message;
  const std::vector<ParamHeader> wanted{{{"region"}, "Mcp-Param-Region", Type::string},
                                        {{"deep", "n"}, "Mcp-Param-N", Type::integer},
                                        {{"ok"}, "Mcp-Param-Ok", Type::boolean}};
  EXPECT_EQ(*headers, wanted);
  EXPECT_TRUE(param_headers(schema_of(R"({"a":{"type":"string"}})"))->empty());
}

TEST(ParamHeaders, TheKeywordMayAlsoBeDataOrAName) {
  const auto headers = param_headers(
      schema_of(R"({"x-mcp-header":{"type":"string","default":"x-mcp-header"},)"
                R"("e":{"enum":[{"x-mcp-header":7}],"default":{"x-mcp-header":7}}})"));
  ASSERT_TRUE(headers) << headers.error().message;
  EXPECT_TRUE(headers->empty());
}

TEST(ParamHeaders, MustBeNames) {
  for (const auto* const name : {R"("")", R"("My Region")", R"("a:b")", R"("R\u00e9gion")",
                                 R"("Region\t1")", R"("a\r\nb")", "7", "null"}) {
    EXPECT_EQ(
        fault(schema_of(fmt::format(R"({{"v":{{"type":"string","x-mcp-header":{}}}}})", name))),
        "x-mcp-header of 'v' is not the name of a header")
        << name;
  }
}

TEST(ParamHeaders, StandOnStringsIntegersAndBooleansOnly) {
  for (const auto* const type :
       {R"("number")", R"("object")", R"("array")", R"("null")", R"(["string","null"])", "7"}) {
    EXPECT_EQ(fault(schema_of(fmt::format(R"({{"v":{{"type":{},"x-mcp-header":"V"}}}})", type))),
              "x-mcp-header of 'v' is not on a string, an integer or a boolean")
        << type;
  }
  EXPECT_NE(fault(schema_of(R"({"v":{"$ref":"#/$defs/v","x-mcp-header":"V"}})")), "");
  EXPECT_NE(fault(R"({"type":"object","x-mcp-header":"Root"})"), "");
}

TEST(ParamHeaders, AreUniqueInAnyCase) {
  EXPECT_EQ(fault(schema_of(R"({"a":{"type":"string","x-mcp-header":"MyField"},)"
                            R"("b":{"type":"string","x-mcp-header":"myfield"}})")),
            "x-mcp-header of 'b' names the same header as another");
}

TEST(ParamHeaders, MustBeReachedThroughPropertiesAlone) {
  const std::string marked = R"({"type":"string","x-mcp-header":"V"})";
  const std::string inside = R"({"properties":{"v":)" + marked + "}}";
  for (const auto* const keyword : {"items", "contains", "not", "if", "then", "else",
                                    "additionalProperties", "propertyNames"}) {
    EXPECT_NE(fault(fmt::format(R"({{"{}":{}}})", keyword, marked)), "") << keyword;
    EXPECT_NE(fault(fmt::format(R"({{"{}":{}}})", keyword, inside)), "") << keyword;
  }
  for (const auto* const keyword : {"allOf", "anyOf", "oneOf", "prefixItems", "items"}) {
    EXPECT_NE(fault(fmt::format(R"({{"{}":[{}]}})", keyword, inside)), "") << keyword;
  }
  for (const auto* const keyword : {"$defs", "definitions", "patternProperties"}) {
    EXPECT_NE(fault(fmt::format(R"({{"{}":{{"x":{}}}}})", keyword, marked)), "") << keyword;
  }
  EXPECT_EQ(fault(schema_of(R"({"a":{"type":"array","items":)" + inside + "}}")),
            "x-mcp-header of 'a.v' cannot be found by `properties` alone");
}

const std::vector<ParamHeader> kHeaders{{{"s"}, "Mcp-Param-S", Type::string},
                                        {{"o", "n"}, "Mcp-Param-N", Type::integer},
                                        {{"b"}, "Mcp-Param-B", Type::boolean}};

TEST(ParamHeaders, AreWrittenForWhatIsThere) {
  EXPECT_EQ(header_lines(kHeaders, R"({"s":"us west","o":{"n":5.0},"b":false})"),
            "Mcp-Param-S: us west\r\nMcp-Param-N: 5\r\nMcp-Param-B: false\r\n");
  EXPECT_EQ(header_lines(kHeaders, R"({"s":null,"o":{"n":-0},"b":[1]})"), "Mcp-Param-N: 0\r\n");
  EXPECT_EQ(header_lines(kHeaders, R"({"s":"a\r\nHost: evil"})"),
            "Mcp-Param-S: =?base64?YQ0KSG9zdDogZXZpbA==?=\r\n");
  EXPECT_EQ(header_lines(kHeaders, R"({"s":"","o":[]})"), "Mcp-Param-S: \r\n");
  EXPECT_EQ(header_lines(kHeaders, R"({"o":{"n":9007199254740993}})"),
            "Mcp-Param-N: 9007199254740993\r\n");
  EXPECT_EQ(header_lines(kHeaders, ""), "");
}

std::string checked(std::string_view arguments, std::map<std::string, std::string> sent) {
  const auto find = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = sent.find(std::string(name));
    if (found == sent.end()) return std::nullopt;
    return found->second;
  };
  const auto result = check_param_headers(kHeaders, arguments, find);
  if (result) return "";
  EXPECT_EQ(result.error().code, Code::header_mismatch);
  return result.error().message;
}

TEST(ParamHeaders, MustMatchTheBody) {
  EXPECT_EQ(checked("{}", {}), "");
  EXPECT_EQ(checked(R"({"s":null})", {}), "");
  EXPECT_EQ(checked(R"({"s":"t\u00e4st"})", {{"Mcp-Param-S", "=?base64?dMOkc3Q=?="}}), "");
  EXPECT_EQ(checked(R"({"s":"x"})", {{"Mcp-Param-S", "=?base64?eA==?="}}), "");
  EXPECT_EQ(checked(R"({"o":{"n":42}})", {{"Mcp-Param-N", "42.0"}}), "");
  EXPECT_EQ(checked(R"({"o":{"n":4.2e1}})", {{"Mcp-Param-N", "42"}}), "");
  EXPECT_EQ(checked(R"({"b":true})", {{"Mcp-Param-B", "true"}}), "");

  const std::string differs = "the Mcp-Param-S header differs from the body";
  EXPECT_EQ(checked(R"({"s":"x"})", {}), "the Mcp-Param-S header is missing");
  EXPECT_EQ(checked(R"({"s":"x"})", {{"Mcp-Param-S", "X"}}), differs);
  EXPECT_EQ(checked(R"({"s":"x"})", {{"Mcp-Param-S", "=?base64?!!?="}}), differs);
  EXPECT_EQ(checked(R"({"s":null})", {{"Mcp-Param-S", "x"}}), differs);
  EXPECT_EQ(checked("{}", {{"Mcp-Param-S", ""}}), differs);
  EXPECT_EQ(checked(R"({"s":"42"})", {{"Mcp-Param-S", "42.0"}}), differs);
  EXPECT_NE(checked(R"({"o":{"n":42}})", {{"Mcp-Param-N", "43"}}), "");
  EXPECT_NE(checked(R"({"o":{"n":42}})", {{"Mcp-Param-N", ""}}), "");
  EXPECT_NE(checked(R"({"o":{"n":{}}})", {{"Mcp-Param-N", "{}"}}), "");
  EXPECT_NE(checked(R"({"b":true})", {{"Mcp-Param-B", "True"}}), "");
}

}  // namespace
}  // namespace patchbay::mcp
