#include "policy/auth/replay_guard.h"

#include <gtest/gtest.h>

namespace patchbay::policy {
namespace {

using std::chrono::seconds;

const auto kReceived = std::chrono::system_clock::time_point(seconds(1'700'000'000));

std::string reason(const Result<void>& result) { return result ? "" : result.error().data; }

TEST(ReplayGuard, ChecksNothingByDefault) {
  ReplayGuard guard;
  EXPECT_TRUE(guard.check("a", "1", kReceived - seconds(1'000'000), kReceived));
  EXPECT_TRUE(guard.check("a", "1", kReceived - seconds(1'000'000), kReceived));
}

TEST(ReplayGuard, RefusesWhatIsStaleOrAhead) {
  ReplayGuard guard;
  guard.update({.window = seconds(300)});
  EXPECT_TRUE(guard.check("a", "1", kReceived - seconds(300), kReceived));
  EXPECT_TRUE(guard.check("a", "2", kReceived + seconds(300), kReceived));
  EXPECT_EQ(reason(guard.check("a", "3", kReceived - seconds(301), kReceived)),
            R"({"reason":"stale"})");
  EXPECT_EQ(reason(guard.check("a", "4", kReceived + seconds(301), kReceived)),
            R"({"reason":"stale"})");
}

TEST(ReplayGuard, RefusesAnIdTwiceFromOneClient) {
  ReplayGuard guard;
  guard.update({.window = seconds(300)});
  EXPECT_TRUE(guard.check("a", "1", kReceived, kReceived));
  EXPECT_TRUE(guard.check("b", "1", kReceived, kReceived));
  EXPECT_EQ(reason(guard.check("a", "1", kReceived, kReceived)), R"({"reason":"replayed"})");
  // When the id is forgotten, its message is too old.
  EXPECT_EQ(reason(guard.check("a", "1", kReceived, kReceived + seconds(301))),
            R"({"reason":"stale"})");
  EXPECT_TRUE(guard.check("a", "1", kReceived + seconds(301), kReceived + seconds(301)));
}

TEST(ReplayGuard, ForgettingLetsNothingInTwice) {
  ReplayGuard guard;
  guard.update({.window = seconds(300), .ids = 2});
  EXPECT_TRUE(guard.check("a", "1", kReceived, kReceived));
  EXPECT_TRUE(guard.check("a", "2", kReceived + seconds(1), kReceived));
  EXPECT_TRUE(guard.check("a", "3", kReceived + seconds(2), kReceived));
  EXPECT_EQ(reason(guard.check("a", "1", kReceived, kReceived)), R"({"reason":"stale"})");
  EXPECT_EQ(reason(guard.check("a", "2", kReceived + seconds(1), kReceived)),
            R"({"reason":"replayed"})");
}

TEST(ReplayGuard, WithoutAWindowOnlyIdsCount) {
  ReplayGuard guard;
  guard.update({.id_time = seconds(60), .ids = 2, .clients = 2});
  const auto long_ago = kReceived - seconds(1'000'000);
  EXPECT_TRUE(guard.check("a", "1", long_ago, kReceived));
  EXPECT_EQ(reason(guard.check("a", "1", kReceived, kReceived + seconds(59))),
            R"({"reason":"replayed"})");
  EXPECT_TRUE(guard.check("a", "1", kReceived, kReceived + seconds(60))) << "forgotten";
  EXPECT_TRUE(guard.check("a", "2", kReceived, kReceived + seconds(60)));
  EXPECT_TRUE(guard.check("a", "3", long_ago, kReceived + seconds(60))) << "the oldest makes room";
  EXPECT_TRUE(guard.check("a", "1", kReceived, kReceived + seconds(60)));
  EXPECT_TRUE(guard.check("b", "1", kReceived, kReceived + seconds(61)));
  EXPECT_TRUE(guard.check("c", "1", kReceived, kReceived + seconds(61)))
      << "so does the oldest client";
}

TEST(ReplayGuard, ASmallerBoundForgetsTheOldestIds) {
  ReplayGuard guard;
  guard.update({.id_time = seconds(60), .ids = 3});
  for (const char* id : {"1", "2", "3"}) EXPECT_TRUE(guard.check("a", id, kReceived, kReceived));
  guard.update({.id_time = seconds(60), .ids = 1});
  EXPECT_TRUE(guard.check("a", "4", kReceived, kReceived));
  EXPECT_EQ(reason(guard.check("a", "4", kReceived, kReceived)), R"({"reason":"replayed"})");
  EXPECT_TRUE(guard.check("a", "2", kReceived, kReceived)) << "forgotten";
}

TEST(ReplayGuard, RemembersSoManyClients) {
  ReplayGuard guard;
  guard.update({.window = seconds(10), .clients = 2});
  EXPECT_TRUE(guard.check("a", "1", kReceived, kReceived));
  EXPECT_TRUE(guard.check("b", "1", kReceived + seconds(5), kReceived + seconds(5)));
  EXPECT_EQ(guard.check("c", "1", kReceived + seconds(6), kReceived + seconds(6)).error().code,
            Code::overloaded);
  EXPECT_TRUE(guard.check("c", "1", kReceived + seconds(21), kReceived + seconds(21)));
}

}  // namespace
}  // namespace patchbay::policy
