#include "gateway/catalog/short_names.h"

#include <gtest/gtest.h>

#include <set>

namespace patchbay::gateway {
namespace {

TEST(ShortNames, WhatFitsStays) {
  EXPECT_EQ(short_name("files", "__", "read", 64), "files__read");
  EXPECT_EQ(short_name("", "__", "read", 64), "read");
  const std::string exact(64 - 7, 'x');
  EXPECT_EQ(short_name("files", "__", exact, 64), "files__" + exact);
}

TEST(ShortNames, KeepTheUpstreamAndTheVerb) {
  const std::string tool = "create_or_update_the_pull_request_review_comment_of_an_organization";
  const std::string made = short_name("github", "__", tool, 64);
  EXPECT_LE(made.size(), 64u);
  EXPECT_TRUE(made.starts_with("github__create_or_update_the_pull_request")) << made;
  EXPECT_EQ(made, short_name("github", "__", tool, 64));
}

TEST(ShortNames, TheNameOfTheUpstreamIsCutFirst) {
  const std::string upstream(60, 'u');
  const std::string made = short_name(upstream, "__", "search_issues", 60);
  EXPECT_LE(made.size(), 60u);
  EXPECT_NE(made.find("__search_issues_"), std::string::npos) << made;
  const std::string both = short_name(upstream, "__", std::string("list_") + upstream, 64);
  EXPECT_NE(both.find("__list_uuuuuuuu"), std::string::npos) << both;
  EXPECT_LE(both.size(), 64u);
}

TEST(ShortNames, StayDistinct) {
  std::set<std::string> made;
  const std::string same(80, 'a');
  for (int i = 0; i < 2000; ++i) {
    made.insert(short_name("far", "__", "get_" + same + std::to_string(i), 64));
    made.insert(short_name("near", "__", "get_" + same + std::to_string(i), 64));
  }
  EXPECT_EQ(made.size(), 4000u);
}

TEST(ShortNames, ASeparatorWithoutRoomLeavesThemAlone) {
  const std::string separator(30, '-');
  EXPECT_EQ(short_name("far", separator, "tool", 24), "far" + separator + "tool");
}

TEST(ShortNames, CutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 60; ++i) name += "é";
  for (std::size_t most = 24; most < 64; ++most) {
    const std::string made = short_name("", "__", name, most);
    EXPECT_LE(made.size(), most);
    const std::string head = made.substr(0, made.find('_'));
    EXPECT_EQ(head.size() % 2, 0u) << made;
  }
}

}  // namespace
}  // namespace patchbay::gateway
