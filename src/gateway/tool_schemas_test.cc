#include "gateway/tool_schemas.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

constexpr auto kTool = R"({"name":"t",
  "inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]},
  "outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}})";

TEST(ToolSchemas, ArgumentsThatDoNotFitAreNamed) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.check_arguments(R"({"a":1,"b":"more"})"));
  const auto wrong = schemas.check_arguments(R"({"a":"1"})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::invalid_params);
  EXPECT_TRUE(wrong.error().message.contains("/a")) << wrong.error().message;
  EXPECT_FALSE(schemas.check_arguments("{}"));
}

TEST(ToolSchemas, ResultsMustHoldWhatWasPromised) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.check_result(R"({"structuredContent":{"sum":1},"content":[]})"));
  EXPECT_EQ(schemas.check_result(R"({"structuredContent":{"sum":"1"}})").error().code,
            Code::upstream_failed);
  EXPECT_FALSE(schemas.check_result(R"({"content":[]})"));
}

TEST(ToolSchemas, AFailureOfTheToolIsLeftAlone) {
  const ToolSchemas schemas("up.t", kTool);
  EXPECT_TRUE(schemas.check_result(R"({"content":[],"isError":true})"));
}

TEST(ToolSchemas, WhatCannotBeCheckedFits) {
  const ToolSchemas none("up.t", R"({"name":"t"})");
  EXPECT_TRUE(none.check_arguments(R"({"a":1})"));
  EXPECT_TRUE(none.check_result("{}"));
  EXPECT_FALSE(none.promises_result());
  const ToolSchemas broken("up.t", R"({"inputSchema":{"type":7},"outputSchema":{"$ref":"#/no"}})");
  EXPECT_TRUE(broken.check_arguments(R"({"a":1})"));
  EXPECT_TRUE(broken.check_result("{}"));
}

}  // namespace
}  // namespace patchbay::gateway
