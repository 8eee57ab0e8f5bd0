#include "net/http/syntax/accept.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

std::string_view chosen(std::string_view accept) {
  return preferred_type(accept, {"application/json", "text/event-stream"});
}

TEST(Accept, TheHighestQualityWins) {
  EXPECT_EQ(chosen("application/json;q=0.5, text/event-stream"), "text/event-stream");
  EXPECT_EQ(chosen("application/json;q=0.5, text/event-stream;q=0.4"), "application/json");
}

TEST(Accept, AmongEqualsWhatIsListedFirst) {
  EXPECT_EQ(chosen("application/json, text/event-stream"), "application/json");
  EXPECT_EQ(chosen("text/event-stream, application/json"), "text/event-stream");
}

TEST(Accept, OfAnythingWhatIsOfferedFirst) {
  EXPECT_EQ(chosen("*/*"), "application/json");
  EXPECT_EQ(chosen("text/html, */*;q=0.8"), "application/json");
  EXPECT_EQ(chosen("text/*"), "text/event-stream");
}

TEST(Accept, TheClosestRangeCounts) {
  EXPECT_EQ(chosen("*/*, application/json;q=0.1"), "text/event-stream");
  EXPECT_EQ(chosen("*/*, application/json;q=0, text/event-stream;q=0"), "");
}

TEST(Accept, NothingFits) {
  EXPECT_EQ(chosen("image/png"), "");
  EXPECT_EQ(chosen(""), "");
  EXPECT_EQ(chosen(",,;q=,"), "");
}

TEST(Methods, AreComparedExactly) {
  EXPECT_TRUE(has_method("GET, HEAD", "GET"));
  EXPECT_TRUE(has_method("GET, HEAD", "HEAD"));
  for (const auto* const other : {"get", "Head", "GE", "GET,", "", "POST"}) {
    EXPECT_FALSE(has_method("GET, HEAD", other)) << other;
  }
}

TEST(MediaType, IsExactlyOne) {
  for (const auto* const good :
       {"a/b", "a/b;", "a/b; c=d", "a/b ;c=\"d,\\\"e\"; f=g", "a/b;c=d;"}) {
    EXPECT_EQ(media_type(good), "a/b") << good;
  }
  for (const auto* const bad : {"", "a", "a/", "/b", "a/b, c/d", "a/b; c", "a/b; c=", "a/b; c=,d",
                                "a/b c", "a/b; c=\"d", "a/b; c=\"d\"e", ", a/b", "a /b"}) {
    EXPECT_EQ(media_type(bad), "") << bad;
  }
}

}  // namespace
}  // namespace patchbay::net
