#include "config/to_json.h"

#include <gtest/gtest.h>

namespace patchbay::config {
namespace {

constexpr ParseLimits kLimits{1000, 100'000};

std::string json_of(std::string_view text) {
  auto json = to_json(text, kLimits);
  return json ? *json : "fault: " + json.error().message;
}

TEST(ToJson, LeavesJsonAsItIs) {
  EXPECT_EQ(json_of(" {\"a\": [1, 2.50]}\n"), " {\"a\": [1, 2.50]}\n");
  EXPECT_TRUE(json_of("{\"a\": }").starts_with("fault: invalid JSON at byte"));
}

TEST(ToJson, ReadsYamlByItsCoreSchema) {
  EXPECT_EQ(json_of("a: 1\nb: 'yes'\nc: yes\nd: true\ne: ~\nf:\ng: '1'\nh: 1.5e3\n"),
            R"({"a":1,"b":"yes","c":"yes","d":true,"e":null,"f":null,"g":"1","h":1.5e3})");
  EXPECT_EQ(json_of("a: [x, {b: c}]\n'200':\n  - |\n    two\n    lines\n"),
            R"({"a":["x",{"b":"c"}],"200":["two\nlines\n"]})");
  // What only YAML takes for a number stays text.
  EXPECT_EQ(json_of("a: 0x1F\nb: 007\nc: .5\n"), R"({"a":"0x1F","b":"007","c":".5"})");
}

TEST(ToJson, PutsNothingIn) { EXPECT_EQ(json_of("a: ${env:HOME}\n"), R"({"a":"${env:HOME}"})"); }

TEST(ToJson, ReportsFaultsWithTheirLocation) {
  EXPECT_TRUE(json_of("a: 1\nb: [\n").starts_with("fault: document:"));
  EXPECT_TRUE(json_of(std::string("a: \0", 4)).starts_with("fault: document:1: control"));
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n";
  bomb += "c: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n";
  EXPECT_NE(json_of(bomb).find("too large once aliases are expanded"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::config
