// Approvals in a store, with one gateway and with several.
#include "policy/rules/approvals.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/ids.h"
#include "core/sqlite.h"
#include "store/embedded_store.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::policy {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using store::EmbeddedStore;

class ApprovalsTest : public ::testing::Test {
 protected:
  ApprovalsTest() : folder_(fs::temp_directory_path() / ("approvals-" + random_hex(8))) {
    a_.set(kSettings);
    b_.set(kSettings);
  }
  ~ApprovalsTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<EmbeddedStore> open() { return *EmbeddedStore::open(folder_, keys_); }

  // Runs the executor until the task is done; the store has a thread of its own.
  template <class T>
  Result<T> wait(Task<T> task) {
    testing::Outcome<T> outcome;
    outcome.start(std::move(task));
    while (!outcome.done()) executor_.run();
    return *outcome;
  }
  template <class T>
  void wait_for(testing::Outcome<T>& outcome) {
    while (!outcome.done()) executor_.run();
  }

  std::string request(Approvals& node, const ApprovalSubject& about) {
    auto id = wait(node.request(about, "Me", "{}"));
    return id ? *id : "error: " + id.error().message;
  }
  std::optional<std::string> take(Approvals& node, const ApprovalSubject& about) {
    auto by = wait(node.take(about));
    EXPECT_TRUE(by) << by.error().message;
    return by ? *by : std::nullopt;
  }
  std::vector<ApprovalEntry> list(Approvals& node) {
    auto entries = wait(node.list());
    EXPECT_TRUE(entries) << entries.error().message;
    return entries ? *entries : std::vector<ApprovalEntry>();
  }
  bool approve(Approvals& node, const std::string& id) {
    return static_cast<bool>(wait(node.approve(id, boss_)));
  }
  static std::string tools(const std::vector<ApprovedCall>& calls) {
    std::string all;
    for (const auto& call : calls) all += call.tool;
    return all;
  }

  const ApprovalSettings kSettings{
      .elicit = {}, .expires = config::Duration(60'000), .pending = 3, .per_caller = 2};
  const ApprovalSubject subject_{"me", "a.t", "digest", "1"};
  const Principal boss_{.id = "boss", .name = "Boss", .auth_method = AuthMethod::token};
  const fs::path folder_;
  const Keyring keys_{{std::string(32, 'k')}};
  testing::ManualExecutor executor_;
  std::unique_ptr<EmbeddedStore> store_ = open();
  // Two gateways with one store.
  Approvals a_{*store_};
  Approvals b_{*store_};
};

TEST_F(ApprovalsTest, AnApprovalIsSingleUse) {
  EXPECT_FALSE(take(a_, subject_));
  const auto id = request(a_, subject_);
  EXPECT_FALSE(take(a_, subject_)) << "waiting is not approved";
  ASSERT_TRUE(approve(a_, id));
  EXPECT_EQ(take(a_, subject_), "Boss");
  EXPECT_FALSE(take(a_, subject_));
  EXPECT_FALSE(approve(a_, id));
  EXPECT_EQ(request(a_, subject_), id) << "the same call waits once more";
  EXPECT_FALSE(take(a_, subject_));
}

TEST_F(ApprovalsTest, WhatOneGatewayAsksAnotherApprovesAndAThirdUses) {
  const auto id = request(a_, subject_);
  ASSERT_TRUE(approve(b_, id));
  EXPECT_EQ(list(b_)[0].approved_by, "Boss");
  Approvals c(*store_);
  EXPECT_EQ(take(c, subject_), "Boss");
  EXPECT_FALSE(take(a_, subject_));
  EXPECT_FALSE(take(b_, subject_));
}

TEST_F(ApprovalsTest, OneOfManyGatewaysUsesAnApproval) {
  const auto other_process = open();
  Approvals c(*other_process);
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(approve(b_, request(a_, subject_)));
    std::array<testing::Outcome<std::optional<std::string>>, 6> outcomes;
    std::array<Approvals*, 6> nodes{&a_, &c, &b_, &c, &a_, &b_};
    for (std::size_t i = 0; i < nodes.size(); ++i) outcomes[i].start(nodes[i]->take(subject_));
    int used = 0;
    for (auto& outcome : outcomes) {
      wait_for(outcome);
      ASSERT_TRUE(*outcome);
      if (**outcome) ++used;
    }
    ASSERT_EQ(used, 1) << "in round " << round;
  }
}

TEST_F(ApprovalsTest, ACallIsUsedOrRefusedAndNotBoth) {
  for (int round = 0; round < 20; ++round) {
    const auto id = request(a_, subject_);
    ASSERT_TRUE(approve(b_, id));
    testing::Outcome<std::optional<std::string>> taken;
    testing::Outcome<ApprovalEntry> refused;
    taken.start(a_.take(subject_));
    refused.start(b_.refuse(id));
    wait_for(taken);
    wait_for(refused);
    ASSERT_TRUE(*taken);
    ASSERT_NE((*taken)->has_value(), static_cast<bool>(*refused)) << "in round " << round;
  }
}

TEST_F(ApprovalsTest, WhatOneGatewayRefusesNoneApproves) {
  const auto id = request(a_, subject_);
  ASSERT_TRUE(wait(b_.refuse(id)));
  const auto late = wait(a_.approve(id, boss_));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::not_found);
  EXPECT_FALSE(take(a_, subject_));
  EXPECT_TRUE(list(a_).empty());
}

TEST_F(ApprovalsTest, NobodyApprovesItsOwnCall) {
  const auto id = request(a_, subject_);
  const Principal self{.id = "me", .name = "Me", .auth_method = AuthMethod::token};
  const auto refused = wait(b_.approve(id, self));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::forbidden);
  EXPECT_FALSE(take(a_, subject_));
  EXPECT_TRUE(wait(b_.refuse(id))) << "it may be withdrawn";
  // Without authentication all callers are the same.
  const Principal local;
  const ApprovalSubject own{local.id, "a.t", "digest", "1"};
  EXPECT_TRUE(wait(b_.approve(request(a_, own), local)));
}

TEST_F(ApprovalsTest, AnApprovalIsBoundToItsSubject) {
  ASSERT_TRUE(approve(a_, request(a_, subject_)));
  for (const auto& other : {ApprovalSubject{"you", "a.t", "digest", "1"},
                            {"me", "a.u", "digest", "1"},
                            {"me", "a.t", "other", "1"},
                            {"me", "a.t", "digest", "2"},
                            {"me", "a.td", "igest", "1"}}) {
    EXPECT_FALSE(take(a_, other));
  }
  EXPECT_TRUE(take(a_, subject_));
}

TEST_F(ApprovalsTest, TheStoreDecidesWhatHasExpired) {
  const auto id = request(a_, subject_);
  ApprovalSettings brief = kSettings;
  brief.expires = config::Duration(1);
  b_.set(brief);
  ASSERT_TRUE(approve(b_, id));
  while (wait(b_.find(id))) continue;
  EXPECT_FALSE(take(a_, subject_));
  EXPECT_FALSE(approve(a_, id));
  EXPECT_TRUE(list(a_).empty());
  EXPECT_EQ(request(a_, subject_), id);
  EXPECT_EQ(list(a_)[0].state, ApprovalState::waiting);
  // What it displays expires without the store as well.
  executor_.pass(61s);
  EXPECT_TRUE(list(a_).empty());
}

TEST_F(ApprovalsTest, ApprovingExtendsTheExpiry) {
  const auto id = request(a_, subject_);
  executor_.pass(59s);
  ASSERT_TRUE(approve(a_, id));
  executor_.pass(59s);
  EXPECT_EQ(list(a_).size(), 1U);
}

TEST_F(ApprovalsTest, TheLastApprovedCallsAreRememberedByAll) {
  ApprovalSettings settings = kSettings;
  settings.remembered = 2;
  a_.set(settings);
  for (const char* const tool : {"a", "b", "c", "b"}) {
    const ApprovalSubject about{"me", tool, "digest", "1"};
    ASSERT_TRUE(approve(a_, request(a_, about)));
    ASSERT_TRUE(take(a_, about));
  }
  EXPECT_EQ(tools(a_.approved()), "cb");
  EXPECT_TRUE(list(b_).empty());
  EXPECT_EQ(tools(b_.approved()), "cb") << "the others are not in the store";
  EXPECT_EQ(b_.approved()[1].by, "Boss");
  settings.remembered = 1;
  a_.set(settings);
  EXPECT_EQ(tools(a_.approved()), "b");
}

TEST_F(ApprovalsTest, TheSameCallWaitsOnce) {
  EXPECT_EQ(request(a_, subject_), request(a_, subject_));
  EXPECT_EQ(request(b_, subject_), request(a_, subject_));
  ASSERT_EQ(list(a_).size(), 1U);
  EXPECT_EQ(list(b_).size(), 1U);
  EXPECT_EQ(list(b_)[0].caller_name, "Me");
  EXPECT_TRUE(wait(a_.find(request(b_, subject_))));
  EXPECT_FALSE(wait(a_.find("nope")));
}

TEST_F(ApprovalsTest, ACallerCannotUseUpTheSlotsOfOthers) {
  request(a_, {"me", "a.t", "1", "1"});
  request(a_, {"me", "a.t", "2", "1"});
  EXPECT_TRUE(request(a_, {"me", "a.t", "3", "1"}).starts_with("error: too many calls wait"));
  EXPECT_TRUE(request(b_, {"me", "a.t", "3", "1"}).starts_with("error: too many calls wait"))
      << "at any gateway";
  EXPECT_FALSE(request(b_, {"you", "a.t", "3", "1"}).starts_with("error"));
  EXPECT_TRUE(request(b_, {"they", "a.t", "3", "1"}).starts_with("error"))
      << "there is a bound for all";
}

TEST_F(ApprovalsTest, RequestsAtTheSameMomentKeepToTheLimit) {
  std::array<testing::Outcome<std::string>, 6> outcomes;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].start(a_.request({"me", "a.t", std::to_string(i), "1"}, "Me", "{}"));
  }
  int waiting = 0;
  for (auto& outcome : outcomes) {
    wait_for(outcome);
    if (*outcome) ++waiting;
  }
  EXPECT_EQ(waiting, 2);
}

TEST_F(ApprovalsTest, LearnsOfWhatOtherGatewaysDo) {
  const auto other_process = open();
  Approvals c(*other_process);
  c.start();
  const auto id = request(a_, subject_);
  while (list(c).empty()) executor_.run();
  ASSERT_TRUE(approve(a_, id));
  while (list(c)[0].state != ApprovalState::approved) executor_.run();
  while (c.approved().empty()) executor_.run();
  ASSERT_TRUE(take(a_, subject_));
  while (!list(c).empty()) executor_.run();
  ASSERT_TRUE(wait(c.stop()));
}

TEST_F(ApprovalsTest, TheyOutliveTheProcess) {
  const ApprovalSubject later{"me", "a.u", "digest", "1"};
  ASSERT_TRUE(approve(a_, request(a_, subject_)));
  const auto id = request(a_, later);
  const auto store = open();
  Approvals next(*store);
  ASSERT_EQ(list(next).size(), 2U);
  EXPECT_EQ(list(next)[0].subject, subject_);
  EXPECT_EQ(list(next)[1].arguments, "{}");
  EXPECT_EQ(tools(next.approved()), "a.t");
  EXPECT_EQ(take(next, subject_), "Boss");
  ASSERT_TRUE(approve(next, id));
  EXPECT_TRUE(take(next, later));
}

TEST_F(ApprovalsTest, WhatWasUsedIsNotStoredAnyMore) {
  const auto id = request(a_, subject_);
  const auto stored = [&] { return (*wait(store_->get(kApprovalTable, id, kNever)))->value; };
  EXPECT_NE(stored().find("a.t"), std::string::npos);
  ASSERT_TRUE(approve(a_, id));
  ASSERT_TRUE(take(a_, subject_));
  EXPECT_EQ(stored(), R"({"state":"used"})");
}

TEST_F(ApprovalsTest, WhatWasUsedHereStaysUsedIfTheStoreForgets) {
  const auto id = request(a_, subject_);
  ASSERT_TRUE(approve(a_, id));
  const auto approved = (*wait(store_->get(kApprovalTable, id, kNever)))->value;
  ASSERT_TRUE(take(a_, subject_));
  // As a server whose replica takes over without the last changes.
  auto file = sqlite::Database::open(EmbeddedStore::file_in(folder_));
  ASSERT_TRUE(file->run("DELETE FROM entries; UPDATE versions SET last = 0"));
  ASSERT_TRUE(wait(store_->put(kApprovalTable, {id, approved}, kNever)));
  EXPECT_FALSE(take(a_, subject_));
  EXPECT_TRUE(take(b_, subject_)) << "a gateway that did not know of it cannot tell";
}

TEST_F(ApprovalsTest, WithoutTheStoreNothingIsApproved) {
  const auto id = request(a_, subject_);
  ASSERT_TRUE(approve(a_, id));
  store_->close();
  const auto expect_failure = [](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::unavailable);
    EXPECT_NE(result.error().message.find("cluster.store"), std::string::npos);
  };
  expect_failure(wait(a_.take(subject_)));
  expect_failure(wait(a_.request(subject_, "Me", "{}")));
  expect_failure(wait(a_.approve(id, boss_)));
  expect_failure(wait(a_.refuse(id)));
  expect_failure(wait(b_.list()));
}

TEST_F(ApprovalsTest, AnEntryOfALaterVersionIsNotUsed) {
  const auto id = approval_id(subject_);
  ASSERT_TRUE(wait(store_->put(kApprovalTable, {id, R"({"state":"delegated"})"}, kNever)));
  EXPECT_FALSE(wait(a_.take(subject_)));
  // Nor one that was made for another call.
  ASSERT_TRUE(approve(a_, request(a_, {"you", "a.t", "digest", "1"})));
  const auto other = approval_id({"you", "a.t", "digest", "1"});
  const auto text = (*wait(store_->get(kApprovalTable, other, kNever)))->value;
  ASSERT_TRUE(wait(store_->put(kApprovalTable, {id, text}, kNever)));
  EXPECT_FALSE(wait(a_.take(subject_)));
}

}  // namespace
}  // namespace patchbay::policy
