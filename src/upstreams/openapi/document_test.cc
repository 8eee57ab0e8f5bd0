#include "upstreams/openapi/document.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

std::string fault_of(std::string_view text) {
  auto document = OpenapiDocument::read(text, 1000);
  return document ? "" : document.error().message;
}

TEST(OpenapiDocument, KnowsItsVersions) {
  EXPECT_EQ(fault_of(R"({"openapi":"3.0.3"})"), "");
  EXPECT_EQ(fault_of("openapi: 3.1.0\n"), "");
  EXPECT_NE(fault_of(R"({"swagger":"2.0"})").find("Swagger 2.0"), std::string::npos);
  EXPECT_NE(fault_of(R"({"openapi":"4.0.0"})").find("4.0.0"), std::string::npos);
  EXPECT_NE(fault_of("just text"), "");
  EXPECT_NE(fault_of("[]"), "");
  EXPECT_NE(fault_of(""), "");
}

TEST(OpenapiDocument, RefusesWhatIsTooMuchOrTwice) {
  std::string many = R"({"openapi":"3.1.0","x":[1)";
  for (int i = 0; i < 1000; ++i) many += ",1";
  EXPECT_NE(fault_of(many + "]}").find("more than 1000 values"), std::string::npos);
  EXPECT_NE(fault_of(R"({"openapi":"3.1.0","a":1,"a":2})").find("twice"), std::string::npos);
}

TEST(OpenapiDocument, FollowsReferencesWithinItself) {
  auto document = OpenapiDocument::read(
      R"({"openapi":"3.1.0","a":{"$ref":"#/b~1c/0"},"b/c":[{"$ref":"#/d%20e"}],"d e":{"f":7},)"
      R"("loop":{"$ref":"#/loop"},"out":{"$ref":"other.yaml#/x"},"far":{"$ref":"http://x/y"},)"
      R"("no":{"$ref":"#/nothing"}})",
      1000);
  ASSERT_TRUE(document);
  const auto resolve = [&](std::string_view key) {
    return document->resolve(*document->find(0, key));
  };
  auto found = resolve("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(document->index().raw(*found), R"({"f":7})");
  for (const auto* const key : {"loop", "out", "far", "no"}) EXPECT_FALSE(resolve(key)) << key;
  EXPECT_NE(resolve("out").error().message.find("leads out of the document"), std::string::npos);
}

TEST(OpenapiDocument, FindsMembersOfLargeObjects) {
  std::string text = R"({"openapi":"3.1.0")";
  for (int i = 0; i < 100; ++i) text += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  auto document = OpenapiDocument::read(text + "}", 1000);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->index().raw(*document->find(0, "k77")), "77");
  EXPECT_FALSE(document->find(0, "k100"));
}

}  // namespace
}  // namespace patchbay::upstreams
