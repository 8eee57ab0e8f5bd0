#include "json/canonical.h"

#include <gtest/gtest.h>

#include "json/diff.h"

namespace patchbay::json {
namespace {

std::string of(std::string_view text) {
  auto made = canonical(text);
  return made ? *made : "error: " + made.error().message;
}

TEST(Canonical, WritesEqualValuesAlike) {
  EXPECT_EQ(of(R"( { "b" : 1.0 , "a" : [ true , null ] } )"), R"({"a":[true,null],"b":1})");
  EXPECT_EQ(of(R"({"a":"A\/\n"})"), R"({"a":"A/\n"})");
  EXPECT_EQ(of(R"({"a":1,"b":{}})"), R"({"a":1,"b":{}})") << "keys are decoded too";
  for (const auto* const text : {"1", "1.0", "10e-1", "0.1e1", "1E0"}) EXPECT_EQ(of(text), "1");
  for (const auto* const text : {"0", "-0", "0.0", "0e5"}) EXPECT_EQ(of(text), "0");
}

TEST(Canonical, KeepsEveryDigit) {
  EXPECT_EQ(of("9007199254740993"), "9007199254740993");
  EXPECT_NE(of("9007199254740993"), of("9007199254740992"));
  EXPECT_EQ(of("-12.50"), "-12.5");
  EXPECT_EQ(of("0.000125"), "0.000125");
  EXPECT_EQ(of("1e-9"), "1e-9");
  EXPECT_EQ(of("1.25e30"), "1.25e+30");
  EXPECT_EQ(of("1e400000000"), "1e+400000000");
}

TEST(Canonical, RefusesWhatReadersDisagreeAbout) {
  EXPECT_TRUE(of(R"({"a":1,"a":2})").starts_with("error"));
  EXPECT_TRUE(of(R"({"a":1,"a":2})").starts_with("error"));
  EXPECT_TRUE(of(R"("\ud800")").starts_with("error"));
  EXPECT_TRUE(of(R"({"\ud800":1})").starts_with("error"));
  EXPECT_TRUE(of("{").starts_with("error"));
}

TEST(Differences, NameTheInnermostMembers) {
  const auto found = differences(R"({"a":1,"b":{"c":2,"d":3},"e":[1]})",
                                 R"({"b":{"c":2.0,"d":4},"e":[1,2],"f":"x"})", 10);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].pointer, "/a");
  EXPECT_EQ(found[0].after, "");
  EXPECT_EQ(found[1].pointer, "/b/d");
  EXPECT_EQ(found[1].before + ">" + found[1].after, "3>4");
  EXPECT_EQ(found[2].pointer, "/e");
  EXPECT_EQ(found[3].pointer, "/f");
  EXPECT_TRUE(differences(R"({"a":1})", R"({ "a": 1.0 })", 10).empty());
  EXPECT_EQ(differences(R"({"a":1,"b":2})", "{}", 1).size(), 1U);
}

}  // namespace
}  // namespace patchbay::json
