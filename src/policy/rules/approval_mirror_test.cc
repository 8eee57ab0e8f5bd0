#include "policy/rules/approval_mirror.h"

#include <gtest/gtest.h>

namespace patchbay::policy {
namespace {

using namespace std::chrono_literals;

class ApprovalMirrorTest : public ::testing::Test {
 protected:
  static ApprovalEntry entry(std::string id, ApprovalState state = ApprovalState::waiting,
                             std::string caller = "me") {
    return {.id = std::move(id),
            .subject = {std::move(caller), "a.t", "digest", "1"},
            .arguments = "{}",
            .state = state,
            .ttl = 60s};
  }

  void learn(const ApprovalEntry& one, store::Version version, bool own = false) {
    mirror_.learn(one, version, now_ + one.ttl, own);
  }

  ApprovalMirror mirror_;
  Deadline now_ = Deadline(1h);
};

TEST_F(ApprovalMirrorTest, TheHigherVersionWinsInWhicheverOrder) {
  learn(entry("a", ApprovalState::approved), 5);
  learn(entry("a"), 4);
  ASSERT_EQ(mirror_.list(now_).size(), 1U);
  EXPECT_EQ(mirror_.list(now_)[0].state, ApprovalState::approved);
  EXPECT_EQ(mirror_.waiting(now_), 0U);
  learn(entry("a", ApprovalState::used), 6);
  learn(entry("a", ApprovalState::approved), 5);
  EXPECT_TRUE(mirror_.list(now_).empty()) << "what is read late does not bring it back";
  EXPECT_TRUE(mirror_.is_over("a", 5));
  learn(entry("a"), 7);
  EXPECT_EQ(mirror_.waiting(now_), 1U) << "the call waits once more";
  EXPECT_FALSE(mirror_.is_over("a", 7));
}

TEST_F(ApprovalMirrorTest, ForgetsUpToAVersion) {
  learn(entry("a"), 2);
  mirror_.forget("a", 1);
  EXPECT_EQ(mirror_.list(now_).size(), 1U) << "it has changed since the store was asked";
  mirror_.forget("a", mirror_.version_of("a"));
  EXPECT_TRUE(mirror_.list(now_).empty());
  EXPECT_EQ(mirror_.version_of("b"), store::kAbsent);
}

TEST_F(ApprovalMirrorTest, WhatExpiresIsCountedByTheGatewayOfTheCall) {
  learn(entry("own"), 1, true);
  learn(entry("other"), 2);
  learn(entry("decided"), 3, true);
  learn(entry("decided", ApprovalState::approved), 4);
  EXPECT_TRUE(mirror_.purge(now_).empty());
  EXPECT_EQ(mirror_.waiting(now_ + 61s), 0U);
  EXPECT_EQ(mirror_.purge(now_ + 61s), std::vector<std::chrono::nanoseconds>{61s});
  EXPECT_TRUE(mirror_.purge(now_ + 61s).empty());
}

TEST_F(ApprovalMirrorTest, ACallThatIsBeingWrittenCountsOnce) {
  const ApprovalMirror::Limits limits{3, 2};
  learn(entry("a"), 1);
  ASSERT_TRUE(mirror_.reserve(entry("b"), limits, now_));
  EXPECT_TRUE(mirror_.reserve(entry("b"), limits, now_)) << "the same call";
  EXPECT_FALSE(mirror_.reserve(entry("c"), limits, now_));
  learn(entry("b"), 2);
  const ApprovalEntry of_another = entry("d", ApprovalState::waiting, "you");
  EXPECT_TRUE(mirror_.reserve(of_another, limits, now_)) << "`b` is not counted twice";
  mirror_.release("b");
  mirror_.release("b");
  mirror_.release("d");
  mirror_.forget("a", 1);
  EXPECT_TRUE(mirror_.reserve(entry("c"), limits, now_));
}

TEST_F(ApprovalMirrorTest, RemembersTheCallsThatWereApprovedLast) {
  const auto call = [](std::string tool) { return ApprovedCall{.tool = std::move(tool)}; };
  mirror_.learn_call("b", call("b"), 7, now_);
  mirror_.learn_call("a", call("a"), 8, now_);
  mirror_.learn_call("c", call("c"), 6, now_);
  ASSERT_EQ(mirror_.calls(2).size(), 2U);
  EXPECT_EQ(mirror_.calls(2)[0].tool, "b");
  EXPECT_EQ(mirror_.calls(2)[1].tool, "a");
  EXPECT_EQ(mirror_.calls_beyond(1), (std::vector<std::string>{"b", "c"}));
  mirror_.forget_call("c");
  mirror_.learn_call("b", std::nullopt, 9, now_);
  mirror_.learn_call("b", call("b"), 7, now_);
  EXPECT_EQ(mirror_.calls(3).size(), 1U) << "what is reported late does not bring it back";
}

}  // namespace
}  // namespace patchbay::policy
