#include "policy/auth/replay_guard.h"

#include <gtest/gtest.h>

namespace patchbay::policy {
namespace {

using std::chrono::seconds;

const auto kNow = std::chrono::system_clock::time_point(seconds(1'700'000'000));

std::string reason(const Result<void>& result) { return result ? "" : result.error().data; }

TEST(ReplayGuard, ChecksNothingByDefault) {
  ReplayGuard guard;
  EXPECT_TRUE(guard.check("a", "1", kNow - seconds(1'000'000), kNow));
  EXPECT_TRUE(guard.check("a", "1", kNow - seconds(1'000'000), kNow));
}

TEST(ReplayGuard, RefusesWhatIsStaleOrAhead) {
  ReplayGuard guard;
  guard.update({.window = seconds(300)});
  EXPECT_TRUE(guard.check("a", "1", kNow - seconds(300), kNow));
  EXPECT_TRUE(guard.check("a", "2", kNow + seconds(300), kNow));
  EXPECT_EQ(reason(guard.check("a", "3", kNow - seconds(301), kNow)), R"({"reason":"stale"})");
  EXPECT_EQ(reason(guard.check("a", "4", kNow + seconds(301), kNow)), R"({"reason":"stale"})");
}

TEST(ReplayGuard, RefusesAnIdTwiceFromOneClient) {
  ReplayGuard guard;
  guard.update({.window = seconds(300)});
  EXPECT_TRUE(guard.check("a", "1", kNow, kNow));
  EXPECT_TRUE(guard.check("b", "1", kNow, kNow));
  EXPECT_EQ(reason(guard.check("a", "1", kNow, kNow)), R"({"reason":"replayed"})");
  // When the id is forgotten, its message is too old.
  EXPECT_EQ(reason(guard.check("a", "1", kNow, kNow + seconds(301))), R"({"reason":"stale"})");
  EXPECT_TRUE(guard.check("a", "1", kNow + seconds(301), kNow + seconds(301)));
}

TEST(ReplayGuard, ForgettingLetsNothingInTwice) {
  ReplayGuard guard;
  guard.update({.window = seconds(300), .ids = 2});
  EXPECT_TRUE(guard.check("a", "1", kNow, kNow));
  EXPECT_TRUE(guard.check("a", "2", kNow + seconds(1), kNow));
  EXPECT_TRUE(guard.check("a", "3", kNow + seconds(2), kNow));
  EXPECT_EQ(reason(guard.check("a", "1", kNow, kNow)), R"({"reason":"stale"})");
  EXPECT_EQ(reason(guard.check("a", "2", kNow + seconds(1), kNow)), R"({"reason":"replayed"})");
}

TEST(ReplayGuard, WithoutAWindowOnlyIdsCount) {
  ReplayGuard guard;
  guard.update({.id_time = seconds(60), .ids = 2, .clients = 2});
  const auto long_ago = kNow - seconds(1'000'000);
  EXPECT_TRUE(guard.check("a", "1", long_ago, kNow));
  EXPECT_EQ(reason(guard.check("a", "1", kNow, kNow + seconds(59))), R"({"reason":"replayed"})");
  EXPECT_TRUE(guard.check("a", "1", kNow, kNow + seconds(60))) << "forgotten";
  EXPECT_TRUE(guard.check("a", "2", kNow, kNow + seconds(60)));
  EXPECT_TRUE(guard.check("a", "3", long_ago, kNow + seconds(60))) << "the oldest makes room";
  EXPECT_TRUE(guard.check("a", "1", kNow, kNow + seconds(60)));
  EXPECT_TRUE(guard.check("b", "1", kNow, kNow + seconds(61)));
  EXPECT_TRUE(guard.check("c", "1", kNow, kNow + seconds(61))) << "so does the oldest client";
}

TEST(ReplayGuard, RemembersSoManyClients) {
  ReplayGuard guard;
  guard.update({.window = seconds(10), .clients = 2});
  EXPECT_TRUE(guard.check("a", "1", kNow, kNow));
  EXPECT_TRUE(guard.check("b", "1", kNow + seconds(5), kNow + seconds(5)));
  EXPECT_EQ(guard.check("c", "1", kNow + seconds(6), kNow + seconds(6)).error().code,
            Code::overloaded);
  EXPECT_TRUE(guard.check("c", "1", kNow + seconds(21), kNow + seconds(21)));
}

}  // namespace
}  // namespace patchbay::policy
