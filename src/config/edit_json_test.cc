#include "config/edit_json.h"

#include <gtest/gtest.h>

#include "config/make_node.h"
#include "json/read.h"

namespace patchbay::config {
namespace {

constexpr std::array<std::string_view, 2> kPath{"servers", "b"};

std::string edited_json(std::string_view text) {
  auto done = set_json_member(text, kPath, map_node({{"url", 0, text_node("http://x")}}));
  return done ? *done : "error: " + done.error().message;
}

std::string removed(std::string_view text) {
  auto done = remove_json_member(text, kPath);
  return done ? *done : "error: " + done.error().message;
}

constexpr std::string_view kFresh =
    "{\n  \"servers\": {\n    \"b\": {\n      \"url\": \"http://x\"\n    }\n  }\n}";

TEST(EditJson, MakesADocument) {
  EXPECT_EQ(edited_json(""), std::string(kFresh) + "\n");
  EXPECT_EQ(edited_json("{}"), kFresh);
  EXPECT_EQ(edited_json("{\n}\n"), std::string(kFresh) + "\n");
}

TEST(EditJson, KeepsCommentsAndStyle) {
  EXPECT_EQ(
      edited_json(
          "// mine\n{\n\t\"servers\": {\n\t\t\"a\": 1 // one\n\t}, /* x */\n\t\"z\": [1,]\n}\n"),
      "// mine\n{\n\t\"servers\": {\n\t\t\"a\": 1, // one\n\t\t\"b\": {\n\t\t\t\"url\": "
      "\"http://x\"\n\t\t}\n\t}, /* x */\n\t\"z\": [1,]\n}\n");
}

TEST(EditJson, KeepsATrailingComma) {
  EXPECT_EQ(edited_json("{\n  \"servers\": {\n    \"a\": 1,\n  },\n}\n"),
            "{\n  \"servers\": {\n    \"a\": 1,\n    \"b\": {\n      \"url\": \"http://x\"\n    }\n"
            "  },\n}\n");
}

TEST(EditJson, OnOneLine) {
  const std::string done = edited_json(R"({"servers": {"a": {"}": "{"}}})");
  ASSERT_TRUE(json::check(done)) << done;
  EXPECT_EQ(json::string_member(*json::member(*json::member(done, "servers"), "b"), "url"),
            "http://x");
}

TEST(EditJson, Replaces) {
  EXPECT_EQ(edited_json("{\"servers\": {\n  \"b\": {\"old\": [1, {}]}, // b\n  \"c\": 2}}"),
            "{\"servers\": {\n  \"b\": {\n    \"url\": \"http://x\"\n  }, // b\n  \"c\": 2}}");
}

TEST(EditJson, Removes) {
  EXPECT_EQ(removed("{\"servers\": {\n  \"a\": 1, // a\n  \"b\": 2, // b\n  \"c\": 3\n}}"),
            "{\"servers\": {\n  \"a\": 1, // a\n  \"c\": 3\n}}");
  EXPECT_EQ(removed("{\"servers\": {\n  \"a\": 1, // a\n  \"b\": 2\n}}"),
            "{\"servers\": {\n  \"a\": 1 // a\n}}");
  EXPECT_EQ(removed(R"({"servers": {"b": 2}})"), R"({"servers": {}})");
  EXPECT_EQ(removed(R"({"servers": {"a": 2}})"), "error: there is no \"servers.b\"");
}

TEST(EditJson, ReportsWhatIsBroken) {
  EXPECT_EQ(edited_json("{\n  \"servers\": ]\n}"), "error: line 2, column 14: expected a value");
  EXPECT_EQ(edited_json("[]"), "error: line 1, column 1: expected an object");
  EXPECT_EQ(edited_json("{\"servers\": 1}"), "error: \"servers\" is not an object");
  EXPECT_EQ(edited_json("{} x"), "error: text follows the object");
  EXPECT_EQ(edited_json("{\"a"), "error: line 1, column 4: expected a key in quotes");
  EXPECT_FALSE(set_json_member(std::string(100'000, '['), kPath, {}));
  EXPECT_FALSE(set_json_member("{\"a\":" + std::string(100'000, '['), kPath, {}));
}

}  // namespace
}  // namespace patchbay::config
