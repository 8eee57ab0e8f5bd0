#include "core/shares.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace patchbay {
namespace {

TEST(Shares, OneCallerCannotTakeAll) {
  Shares shares;
  shares.set_most(ShareOf::sessions, 2);
  auto first = shares.take(ShareOf::sessions, "a");
  auto second = shares.take(ShareOf::sessions, "a");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  const auto third = shares.take(ShareOf::sessions, "a");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::rate_limited);
  EXPECT_NE(third.error().message.find("limits.max_sessions_per_caller"), std::string::npos);
  EXPECT_TRUE(shares.take(ShareOf::sessions, "b")) << "each has its own";
  EXPECT_TRUE(shares.take(ShareOf::streams, "a")) << "of each kind";
  first->give_back();
  EXPECT_TRUE(shares.take(ShareOf::sessions, "a"));
}

TEST(Shares, GivesBackOnceAndForgets) {
  Shares shares;
  {
    auto taken = shares.take(ShareOf::streams, "a");
    ASSERT_TRUE(taken);
    Shares::Share moved = *std::move(taken);
    EXPECT_EQ(shares.held(ShareOf::streams, "a"), 1U);
    Shares::Share other;
    other = std::move(moved);
    other.give_back();
    EXPECT_EQ(shares.held(ShareOf::streams, "a"), 0U);
  }
  EXPECT_EQ(shares.held(ShareOf::streams, "a"), 0U);
}

TEST(Shares, CountsOverThreads) {
  Shares shares;
  shares.set_most(ShareOf::connections, 10);
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 1000; ++turn) {
        auto taken = shares.take(ShareOf::connections, "a");
        if (!taken) ++refused;
        EXPECT_LE(shares.held(ShareOf::connections, "a"), 10U);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(shares.held(ShareOf::connections, "a"), 0U);
  EXPECT_EQ(refused, 0);
}

TEST(Shares, BelongToTheCallerOrElseToTheAddress) {
  Principal known;
  known.id = "token:ci";
  known.auth_method = AuthMethod::token;
  EXPECT_EQ(share_owner(known, "address 192.0.2.1"), "caller token:ci");
  EXPECT_EQ(share_owner(Principal(), "address 192.0.2.1"), "address 192.0.2.1");
}

TEST(Shares, ThisMachineIsBoundedOnlyWhereThatIsSaid) {
  Shares shares;
  shares.set_most(ShareOf::sessions, 1, false);
  auto first = shares.take(ShareOf::sessions, kLocalShare);
  EXPECT_TRUE(first);
  EXPECT_TRUE(shares.take(ShareOf::sessions, kLocalShare));
  shares.set_most(ShareOf::sessions, 0);
  EXPECT_FALSE(shares.take(ShareOf::sessions, kLocalShare));
}

}  // namespace
}  // namespace patchbay
