// Approvals of calls: by the client's user, by an admin, and what happens without one.
#include "gateway/approval/consent.h"

#include <gtest/gtest.h>

#include "policy/rules/access.h"
#include "policy/rules/rules.h"
#include "store/embedded_store.h"
#include "testing/fake_call.h"
#include "testing/fake_upstream.h"
#include "testing/manual_executor.h"

namespace patchbay::gateway {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::FakeCall;

constexpr auto kPay =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"p__pay","arguments":{"n":1}}})";

class ConsentTest : public ::testing::Test {
 protected:
  ConsentTest() {
    policy::RuleSettings rule;
    rule.role = "payer";
    rule.approve = {"p.pay"};
    const std::string file;
    config::Faults faults;
    const auto rules = std::make_shared<const policy::Rules>(
        std::vector{rule}, config::Node(), "1", config::Location{file, "rules", faults});
    Offer offer{std::make_shared<testing::FakeUpstream>("p"), {}};
    mcp::of(offer.items, mcp::ItemKind::tool).push_back({"pay", R"({"name":"pay"})"});
    const Catalog whole({offer}, NameSettings());
    catalog_ =
        whole.restricted(std::make_shared<const policy::Access>(rules, rules->about(*payer_)));
    entry_ = catalog_->find(mcp::ItemKind::tool, "p__pay");
  }

  void SetUp() override {
    ASSERT_NE(entry_, nullptr);
    ASSERT_NE(entry_->conditions, nullptr);
    call_.call.caller = payer_;
    call_.call.has_user = true;
    call_.call.capabilities = R"({"elicitation":{}})";
    call_.call.deadline = executor_.now() + seconds(5);
  }

  void let_users_approve() { approvals_.set({.elicit = true}); }

  // Until the call is decided about, or its user is asked. The store has a thread of its own.
  void evaluate() {
    outcome_.start(consent_.evaluate(call_.call, *entry_, *catalog_));
    while (!outcome_.done() && call_.client.questions.empty()) executor_.run();
  }

  template <class T>
  Result<T> wait(Task<T> task) {
    testing::Outcome<T> outcome;
    outcome.start(std::move(task));
    while (!outcome.done()) executor_.run();
    return *outcome;
  }

  // What the call is answered with instead of being sent.
  std::string refusal() {
    EXPECT_TRUE(outcome_.done());
    if (!outcome_.done() || !*outcome_ || !**outcome_) return "";
    return (**outcome_)->body;
  }

  testing::ManualExecutor executor_;
  metrics::Registry registry_;
  Recorder recorder_{registry_};
  policy::Keyring keys_{{std::string(32, 'k')}};
  std::unique_ptr<store::EmbeddedStore> store_ = *store::EmbeddedStore::open("", keys_);
  policy::Approvals approvals_{*store_};
  Consent consent_{approvals_, recorder_};
  const Caller payer_ =
      std::make_shared<const Principal>(Principal{"1", "someone", AuthMethod::token, {"payer"}});
  std::shared_ptr<const Catalog> catalog_;
  const CatalogEntry* entry_ = nullptr;
  FakeCall call_{kPay};
  testing::Outcome<std::optional<mcp::Reply>> outcome_;
};

TEST_F(ConsentTest, TheUserOfTheClientApprovesAndTheClockStandsStill) {
  let_users_approve();
  const Deadline before = call_.call.deadline;
  evaluate();
  ASSERT_EQ(call_.client.questions.size(), 1U);
  EXPECT_EQ(call_.client.questions[0].method, "elicitation/create");
  executor_.pass(seconds(20));
  EXPECT_FALSE(outcome_.done());
  call_.client.questions[0].answer(
      mcp::result_reply(R"({"action":"accept","content":{"approve":true}})"));
  executor_.run();
  ASSERT_TRUE(outcome_.done());
  ASSERT_TRUE(*outcome_);
  EXPECT_FALSE(**outcome_) << "the call may be sent";
  EXPECT_EQ(call_.call.deadline, before + seconds(20));
  EXPECT_EQ(call_.call.approved_by, "the user of someone");
}

TEST_F(ConsentTest, AcceptingTheFormIsNotApproving) {
  let_users_approve();
  evaluate();
  ASSERT_EQ(call_.client.questions.size(), 1U);
  call_.client.questions[0].answer(
      mcp::result_reply(R"({"action":"accept","content":{"approve":false}})"));
  executor_.run();
  EXPECT_NE(refusal().find("did not approve"), std::string::npos);
}

TEST_F(ConsentTest, SilenceRefuses) {
  let_users_approve();
  evaluate();
  executor_.pass(minutes(2));
  executor_.run();
  EXPECT_NE(refusal().find("nobody answered"), std::string::npos);
  // An answer that comes later changes nothing.
  call_.client.questions[0].answer(
      mcp::result_reply(R"({"action":"accept","content":{"approve":true}})"));
  executor_.run();
}

TEST_F(ConsentTest, AnAdminApprovesOneCall) {
  evaluate();
  EXPECT_NE(refusal().find("needs approval"), std::string::npos);
  EXPECT_TRUE(call_.client.questions.empty());
  const auto waiting = wait(approvals_.list());
  ASSERT_TRUE(waiting);
  ASSERT_EQ(waiting->size(), 1U);
  const Principal admin{"2", "admin", AuthMethod::token, {"admin"}};
  ASSERT_TRUE(wait(approvals_.approve(waiting->front().id, admin)));

  const auto again = wait(consent_.evaluate(call_.call, *entry_, *catalog_));
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again) << "the call may be sent";
  EXPECT_EQ(call_.call.approved_by, "admin");

  const auto once_more = wait(consent_.evaluate(call_.call, *entry_, *catalog_));
  ASSERT_TRUE(once_more);
  EXPECT_TRUE(*once_more) << "an approval is used once";
}

TEST_F(ConsentTest, WithoutTheStoreTheCallIsNotSent) {
  let_users_approve();
  store_->close();
  evaluate();
  EXPECT_NE(refusal().find("was not made"), std::string::npos);
  EXPECT_NE(refusal().find("cluster.store"), std::string::npos);
  EXPECT_EQ((**outcome_)->why, Code::unavailable);
  EXPECT_TRUE(call_.client.questions.empty());
}

TEST_F(ConsentTest, ACancelledCallIsNotSent) {
  let_users_approve();
  evaluate();
  outcome_.cancel();
  executor_.run();
  ASSERT_TRUE(outcome_.done());
  ASSERT_FALSE(*outcome_);
  EXPECT_EQ((*outcome_).error().code, Code::cancelled);
}

}  // namespace
}  // namespace patchbay::gateway
