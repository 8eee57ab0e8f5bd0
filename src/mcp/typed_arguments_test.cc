#include "mcp/typed_arguments.h"

#include <gtest/gtest.h>

namespace patchbay::mcp {
namespace {

constexpr std::string_view kToolWithArguments =
    R"({"name":"t","inputSchema":{"properties":{"text":{"type":"string"},"n":{"type":"number"}},)"
    R"("required":["text"]}})";

TEST(TypedArguments, FollowTheSchema) {
  EXPECT_EQ(*typed_arguments(kToolWithArguments, {"text=5", "n=5", "more=[1]", "rest=a=b"}),
            R"({"text":"5","n":5,"more":[1],"rest":"a=b"})");
  EXPECT_EQ(*typed_arguments(kToolWithArguments, {}), "{}");
  EXPECT_FALSE(typed_arguments(kToolWithArguments, {"=5"}));
  EXPECT_FALSE(typed_arguments(kToolWithArguments, {"five"}));
}

TEST(TypedArguments, KnowAToolOfOneText) {
  EXPECT_EQ(only_text_argument(kToolWithArguments), "text");
  EXPECT_EQ(only_text_argument(R"({"inputSchema":{"properties":{"zone":{"type":"string"}}}})"),
            "zone");
  EXPECT_FALSE(only_text_argument(R"({"inputSchema":{"properties":{"n":{"type":"number"}}}})"));
  EXPECT_FALSE(only_text_argument(
      R"({"inputSchema":{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}})"));
  EXPECT_FALSE(only_text_argument("{}"));
}

TEST(ToolText, JoinsContent) {
  const auto read = text_of_result(
      R"({"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"x"},)"
      R"({"type":"text","text":"b"}],"isError":true})");
  EXPECT_TRUE(read.failed);
  EXPECT_EQ(read.text, "a\n[image image/png, 50 bytes of JSON]\nb");
  EXPECT_EQ(text_of_result(R"({"structuredContent":{"n":1}})").text, R"({"n":1})");
  EXPECT_EQ(text_of_result("{}").text, "");
  EXPECT_FALSE(text_of_result("{}").failed);
}

// Results of one text are read at a glance; what only begins like one is not taken for it.
TEST(ToolText, KnowsResultsOfOneText) {
  const auto text = [](std::string_view result) { return text_of_result(result).text; };
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":"3"}]})"), "3");
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":""}]})"), "");
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":"a\n\"}]}\u00e9"}]})"), "a\n\"}]}é");
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})"), "a\nb");
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":"a","annotations":{"b":[{"c":1}]}}]})"), "a");
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":{"a":[{}]}}]})"),
            "[text no type, 33 bytes of JSON]");
  EXPECT_EQ(text(R"({"content":[{"type":"text","text":"\ud800"}]})"),
            "[text no type, 31 bytes of JSON]");
}

}  // namespace
}  // namespace patchbay::mcp
