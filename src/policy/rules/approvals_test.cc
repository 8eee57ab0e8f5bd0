#include "policy/rules/approvals.h"

#include <gtest/gtest.h>

namespace patchbay::policy {
namespace {

using namespace std::chrono_literals;

class ApprovalsTest : public ::testing::Test {
 protected:
  ApprovalsTest() {
    approvals.set(
        {.elicit = {}, .expires = config::Duration(60'000), .pending = 3, .per_caller = 2});
  }

  std::string request(const ApprovalSubject& about) {
    auto id = approvals.request(about, caller, "{}", now);
    return id ? *id : "error: " + id.error().message;
  }

  const ApprovalSubject subject{"me", "a.t", "digest", "1"};
  const Principal caller;
  const Principal boss{.id = "boss", .name = "Boss", .auth_method = AuthMethod::token};
  Approvals approvals;
  Deadline now = Deadline(1h);
};

TEST_F(ApprovalsTest, AnApprovalIsSingleUse) {
  EXPECT_FALSE(approvals.take(subject, now));
  const auto id = request(subject);
  EXPECT_FALSE(approvals.take(subject, now)) << "waiting is not approved";
  ASSERT_TRUE(approvals.approve(id, boss, now));
  EXPECT_TRUE(approvals.take(subject, now));
  EXPECT_FALSE(approvals.take(subject, now));
  EXPECT_FALSE(approvals.approve(id, boss, now));
}

TEST_F(ApprovalsTest, NamesTheApprover) {
  ASSERT_TRUE(approvals.approve(request(subject), boss, now));
  EXPECT_EQ(approvals.list(now).front().approved_by, "Boss");
  EXPECT_EQ(approvals.take(subject, now), "Boss");
}

TEST_F(ApprovalsTest, NobodyApprovesItsOwnCall) {
  const auto id = request(subject);
  const Principal self{.id = "me", .name = "Me", .auth_method = AuthMethod::token};
  const auto refused = approvals.approve(id, self, now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::forbidden);
  EXPECT_FALSE(approvals.take(subject, now));
  EXPECT_TRUE(approvals.refuse(id, now)) << "it may be withdrawn";
  // Without authentication all callers are the same.
  const Principal local;
  const ApprovalSubject own{local.id, "a.t", "digest", "1"};
  EXPECT_TRUE(approvals.approve(request(own), local, now));
}

TEST_F(ApprovalsTest, AnApprovalIsBoundToItsSubject) {
  ASSERT_TRUE(approvals.approve(request(subject), boss, now));
  for (auto other : {ApprovalSubject{"you", "a.t", "digest", "1"},
                     {"me", "a.u", "digest", "1"},
                     {"me", "a.t", "other", "1"},
                     {"me", "a.t", "digest", "2"}}) {
    EXPECT_FALSE(approvals.take(other, now));
  }
  EXPECT_TRUE(approvals.take(subject, now));
}

TEST_F(ApprovalsTest, ApprovalsAndRequestsExpire) {
  const auto id = request(subject);
  now += 61s;
  EXPECT_FALSE(approvals.approve(id, boss, now));
  const auto again = request(subject);
  EXPECT_NE(again, id);
  ASSERT_TRUE(approvals.approve(again, boss, now));
  now += 59s;
  EXPECT_EQ(approvals.list(now).size(), 1U);
  now += 2s;
  EXPECT_FALSE(approvals.take(subject, now));
  EXPECT_TRUE(approvals.list(now).empty());
}

TEST_F(ApprovalsTest, TheLastApprovedCallsAreRemembered) {
  ApprovalSettings settings = approvals.settings();
  settings.remembered = 2;
  approvals.set(settings);
  const auto remembered = [this] {
    std::string tools;
    for (const auto& call : approvals.approved()) tools += call.tool;
    return tools;
  };
  for (const char* const tool : {"a", "b", "c", "b"}) {
    const ApprovalSubject about{"me", tool, "digest", "1"};
    ASSERT_TRUE(approvals.approve(request(about), boss, now));
    ASSERT_TRUE(approvals.take(about, now));
  }
  EXPECT_EQ(remembered(), "cb");
  settings.remembered = 1;
  approvals.set(settings);
  EXPECT_EQ(remembered(), "b");
}

TEST_F(ApprovalsTest, TheSameCallWaitsOnce) {
  EXPECT_EQ(request(subject), request(subject));
  EXPECT_EQ(approvals.list(now).size(), 1U);
  ASSERT_TRUE(approvals.refuse(approvals.list(now).front().id, now));
  EXPECT_TRUE(approvals.list(now).empty());
}

TEST_F(ApprovalsTest, ACallerCannotUseUpTheSlotsOfOthers) {
  request({"me", "a.t", "1", "1"});
  request({"me", "a.t", "2", "1"});
  EXPECT_TRUE(request({"me", "a.t", "3", "1"}).starts_with("error"));
  EXPECT_FALSE(request({"you", "a.t", "3", "1"}).starts_with("error"));
  EXPECT_TRUE(request({"they", "a.t", "3", "1"}).starts_with("error"))
      << "there is a bound for all";
}

}  // namespace
}  // namespace patchbay::policy
