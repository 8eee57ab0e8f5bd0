#include "mcp/uri_template.h"

#include <gtest/gtest.h>

#include <string>

namespace patchbay::mcp {
namespace {

TEST(UriTemplate, MatchesWhatItCanHaveMade) {
  EXPECT_TRUE(matches_template("test://item/{id}", "test://item/7"));
  EXPECT_TRUE(matches_template("a/{x}/b/{y}", "a/1/b/2"));
  EXPECT_TRUE(matches_template("file:///{+path}", "file:///etc/hosts"));
  EXPECT_TRUE(matches_template("{x}a", "baa"));
  EXPECT_TRUE(matches_template("plain", "plain"));
}

TEST(UriTemplate, TakesAQueryThatIsLeftOut) {
  EXPECT_TRUE(matches_template("a/{x}{?y,z}", "a/1"));
  EXPECT_TRUE(matches_template("a/{x}{?y,z}", "a/1?y=2"));
  EXPECT_TRUE(matches_template("a{?y}", "a"));
  EXPECT_TRUE(matches_template("a?x={x}{&y}", "a?x=1"));
  EXPECT_FALSE(matches_template("a/{x}{?y}", "a/"));
  EXPECT_FALSE(matches_template("a{?y}/b", "a/c"));
}

TEST(UriTemplate, RefusesEverythingElse) {
  EXPECT_FALSE(matches_template("test://item/{id}", "test://item/"));
  EXPECT_FALSE(matches_template("test://item/{id}", "test://other/7"));
  EXPECT_FALSE(matches_template("a/{x}/b", "a/1/c"));
  EXPECT_FALSE(matches_template("plain", "plainer"));
  EXPECT_FALSE(matches_template("", "x"));
}

TEST(UriTemplate, LetsExpressionsStandSideBySide) {
  EXPECT_TRUE(matches_template("a{x}{y}b", "a12b"));
  EXPECT_FALSE(matches_template("a{x}{y}b", "a1b"));
  EXPECT_TRUE(matches_template("{x}{?y}", "1"));
  EXPECT_TRUE(matches_template("{x}aab{y}", "1aaab2"));
  EXPECT_FALSE(matches_template("{x}a{y}a", "1aa"));
  EXPECT_FALSE(matches_template("a{x", "ab"));
  EXPECT_TRUE(matches_template("a{x", "a"));
}

TEST(UriTemplate, TakesNoLongerThanItsLength) {
  std::string hostile;
  for (int i = 0; i < 50; ++i) hostile += "{x}a";
  EXPECT_FALSE(matches_template(hostile + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace patchbay::mcp
