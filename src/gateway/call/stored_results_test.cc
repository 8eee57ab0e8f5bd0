#include "gateway/call/stored_results.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::gateway {
namespace {

struct StoredResultsTest : ::testing::Test {
  StoredResultsTest() { results.set_bounds({.total = 100, .page = 10}); }

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

  StoredResults results;
  Principal owner{.id = "a"};
  Deadline now = Deadline(std::chrono::hours(1));
};

TEST_F(StoredResultsTest, GivesAWholeTextInPages) {
  const auto stored = results.keep(owner, "0123456789abcdefghijklm", "text/plain", now);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->pages, 3U);
  EXPECT_EQ(page(stored->uri, 1), "0123456789");
  EXPECT_EQ(page(stored->uri, 3), "klm");
  EXPECT_EQ(page(stored->uri, 4), "error");
  EXPECT_EQ(page(stored->uri, 0), "error");
  EXPECT_TRUE(results.read(owner, stored->uri, now)) << "without a number: the first";
}

TEST_F(StoredResultsTest, CutsNoCharacterInTwo) {
  const auto stored = results.keep(owner, "123456789äbcdefghi€", "text/plain", now);
  ASSERT_TRUE(stored);
  std::string whole;
  for (std::size_t i = 1; i <= stored->pages; ++i) whole += page(stored->uri, static_cast<int>(i));
  EXPECT_EQ(whole, "123456789äbcdefghi€");
  EXPECT_EQ(page(stored->uri, 1), "123456789");
}

TEST_F(StoredResultsTest, IsForTheCallerAlone) {
  const auto stored = results.keep(owner, "text", "text/plain", now);
  EXPECT_TRUE(results.read(owner, stored->uri, now));
  EXPECT_FALSE(results.read(Principal{.id = "b"}, stored->uri, now));
  EXPECT_FALSE(results.read(owner, "patchbay://results/0", now));
  EXPECT_FALSE(results.read(owner, stored->uri + "/1x", now));
  EXPECT_FALSE(results.read(owner, stored->uri, now + std::chrono::minutes(10)));
}

TEST_F(StoredResultsTest, MakesRoomByDroppingTheOldest) {
  const auto first = results.keep(owner, std::string(60, 'a'), "text/plain", now);
  const auto second = results.keep(owner, std::string(60, 'b'), "text/plain", now);
  EXPECT_FALSE(results.read(owner, first->uri, now));
  EXPECT_TRUE(results.read(owner, second->uri, now));
  EXPECT_FALSE(results.keep(owner, std::string(101, 'c'), "text/plain", now));
  EXPECT_TRUE(results.read(owner, second->uri, now));
}

TEST_F(StoredResultsTest, NobodyPushesOutWhatOthersKeep) {
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

TEST_F(StoredResultsTest, ForgetsThoseWhoseTimeHasPassed) {
  const auto first = results.keep(owner, std::string(60, 'a'), "text/plain", now);
  now += std::chrono::minutes(11);
  ASSERT_TRUE(results.keep(Principal{.id = "b"}, std::string(90, 'b'), "text/plain", now));
  EXPECT_FALSE(results.read(owner, first->uri, now));
}

}  // namespace
}  // namespace patchbay::gateway
