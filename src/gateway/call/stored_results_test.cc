#include "gateway/call/stored_results.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::gateway {
namespace {

struct KeptResultsTest : testing::Test {
  KeptResultsTest() { results.set_bounds({.total = 100, .page = 10}); }

  std::string page(const std::string& uri, int number) {
    auto read = results.read(owner, fmt_uri(uri, number), now);
    if (!read) return "error";
    std::string text;
    json::each_element(*json::member(*read, "contents"), [&](std::string_view content) {
      text = json::string_member(content, "text").value_or("none");
    });
    return text;
  }
  static std::string fmt_uri(const std::string& uri, int number) {
    return uri + "/" + std::to_string(number);
  }

  KeptResults results;
  Principal owner{.id = "a"};
  Deadline now = Deadline(std::chrono::hours(1));
};

TEST_F(KeptResultsTest, GivesAWholeTextInPages) {
  const auto kept = results.keep(owner, "0123456789abcdefghijklm", "text/plain", now);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->pages, 3U);
  EXPECT_EQ(page(kept->uri, 1), "0123456789");
  EXPECT_EQ(page(kept->uri, 3), "klm");
  EXPECT_EQ(page(kept->uri, 4), "error");
  EXPECT_EQ(page(kept->uri, 0), "error");
  EXPECT_TRUE(results.read(owner, kept->uri, now)) << "without a number: the first";
}

TEST_F(KeptResultsTest, CutsNoCharacterInTwo) {
  const auto kept = results.keep(owner, "123456789äbcdefghi€", "text/plain", now);
  ASSERT_TRUE(kept);
  std::string whole;
  for (std::size_t i = 1; i <= kept->pages; ++i) whole += page(kept->uri, static_cast<int>(i));
  EXPECT_EQ(whole, "123456789äbcdefghi€");
  EXPECT_EQ(page(kept->uri, 1), "123456789");
}

TEST_F(KeptResultsTest, IsForTheCallerAlone) {
  const auto kept = results.keep(owner, "text", "text/plain", now);
  EXPECT_TRUE(results.read(owner, kept->uri, now));
  EXPECT_FALSE(results.read(Principal{.id = "b"}, kept->uri, now));
  EXPECT_FALSE(results.read(owner, "patchbay://results/0", now));
  EXPECT_FALSE(results.read(owner, kept->uri + "/1x", now));
  EXPECT_FALSE(results.read(owner, kept->uri, now + std::chrono::minutes(10)));
}

TEST_F(KeptResultsTest, MakesRoomByDroppingTheOldest) {
  const auto first = results.keep(owner, std::string(60, 'a'), "text/plain", now);
  const auto second = results.keep(owner, std::string(60, 'b'), "text/plain", now);
  EXPECT_FALSE(results.read(owner, first->uri, now));
  EXPECT_TRUE(results.read(owner, second->uri, now));
  EXPECT_FALSE(results.keep(owner, std::string(101, 'c'), "text/plain", now));
  EXPECT_TRUE(results.read(owner, second->uri, now));
}

TEST_F(KeptResultsTest, NobodyPushesOutWhatOthersKeep) {
  const Principal other{.id = "b"};
  const auto small = results.keep(other, std::string(20, 'b'), "text/plain", now);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(results.keep(owner, std::string(30, 'a'), "text/plain", now));
  }
  EXPECT_TRUE(results.read(other, small->uri, now)) << "the one who holds most makes room";
  const auto large = results.keep(other, std::string(40, 'b'), "text/plain", now);
  EXPECT_TRUE(results.read(other, large->uri, now));
  EXPECT_TRUE(results.read(other, small->uri, now));
}

TEST_F(KeptResultsTest, ForgetsThoseWhoseTimeHasPassed) {
  const auto first = results.keep(owner, std::string(60, 'a'), "text/plain", now);
  now += std::chrono::minutes(11);
  ASSERT_TRUE(results.keep(Principal{.id = "b"}, std::string(90, 'b'), "text/plain", now));
  EXPECT_FALSE(results.read(owner, first->uri, now));
}

}  // namespace
}  // namespace patchbay::gateway
