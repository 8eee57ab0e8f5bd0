#include "net/http/syntax/percent.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

TEST(Percent, IsDecodedOnce) {
  EXPECT_EQ(*percent_decode("a%2Fb%20c"), "a/b c");
  EXPECT_EQ(*percent_decode("%252e"), "%2e");
  EXPECT_EQ(*percent_decode("a+b"), "a+b");
  EXPECT_EQ(*percent_decode("%C3%A4"), "ä");
}

TEST(Percent, WhatIsBrokenIsRefused) {
  for (const auto* const text :
       {"%", "%2", "a%zz", "%2g", "%0d%0aX: y", "%00", "%7F", "%C3", "%ff"}) {
    EXPECT_FALSE(percent_decode(text)) << text;
  }
}

TEST(Percent, EncodingIsUndoneByDecoding) {
  const std::string all = "a/b?c#d%e{f} ä\"<>\\";
  EXPECT_EQ(percent_encode("a/b c"), "a%2Fb%20c");
  EXPECT_EQ(*percent_decode(percent_encode(all)), all);
}

TEST(Percent, AQueryHasEachParameterOnce) {
  const auto query = parse_query("format=map&q=a+b%26c&empty=&&flag");
  ASSERT_TRUE(query);
  EXPECT_EQ(*query, (std::map<std::string, std::string>{
                        {"format", "map"}, {"q", "a b&c"}, {"empty", ""}, {"flag", ""}}));
  EXPECT_FALSE(parse_query("a=1&a=2"));
  EXPECT_FALSE(parse_query("a=%0a"));
  EXPECT_TRUE(parse_query("")->empty());
}

}  // namespace
}  // namespace patchbay::net
