#include "gateway/catalog/tool_schemas.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

constexpr auto kTool = R"({"name":"t",
  "inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]},
  "outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}})";

TEST(ToolSchemas, ArgumentsThatDoNotFitAreNamed) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.check_arguments(R"({"a":1,"b":"more"})", true));
  const auto wrong = schemas.check_arguments(R"({"a":"1"})", true);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::invalid_params);
  EXPECT_TRUE(wrong.error().message.contains("/a")) << wrong.error().message;
  EXPECT_FALSE(schemas.check_arguments("{}", true));
}

TEST(ToolSchemas, ResultsMustHoldWhatWasPromised) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.check_result(R"({"structuredContent":{"sum":1},"content":[]})", true));
  EXPECT_EQ(schemas.check_result(R"({"structuredContent":{"sum":"1"}})", true).error().code,
            Code::upstream_failed);
  EXPECT_FALSE(schemas.check_result(R"({"content":[]})", true));
}

TEST(ToolSchemas, AFailureOfTheToolIsLeftAlone) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.check_result(R"({"content":[],"isError":true})", true));
}

TEST(ToolSchemas, WithoutASchemaThereIsNothingToCheck) {
  const ToolSchemas none("up.t", R"({"name":"t"})");
  EXPECT_TRUE(none.check_arguments(R"({"a":1})", true));
  EXPECT_TRUE(none.check_result("{}", true));
  EXPECT_FALSE(none.promises_result());
  EXPECT_EQ(none.unusable(), "");
}

TEST(ToolSchemas, WhatCannotBeCheckedIsRefusedOrPassedOn) {
  const ToolSchemas broken("up.t", R"({"inputSchema":{"type":7},"outputSchema":{"$ref":"#/no"}})");
  EXPECT_TRUE(broken.unusable().starts_with("inputSchema: the schema at /type"))
      << broken.unusable();
  for (const auto& refused :
       {broken.check_arguments("{}", true), broken.check_result("{}", true)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::upstream_failed);
    EXPECT_TRUE(refused.error().message.contains("validation.unusable_schemas"));
  }
  EXPECT_TRUE(broken.check_arguments(R"({"a":1})", false));
  EXPECT_TRUE(broken.check_result("{}", false));
}

TEST(ToolSchemas, KnowTheirDefinition) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.are_of(kTool));
  EXPECT_FALSE(schemas.are_of(R"({"name":"t"})"));
}

}  // namespace
}  // namespace patchbay::gateway
