#include "cluster/members.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/ids.h"
#include "store/embedded_store.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::cluster {
namespace {

namespace fs = std::filesystem;

class MembersTest : public ::testing::Test {
 protected:
  MembersTest() : folder_(fs::temp_directory_path() / ("members-" + random_hex(8))) {
    store_ = *store::EmbeddedStore::open(folder_, keys_);
  }
  ~MembersTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  void wait(Task<void> task) {
    testing::Outcome<void> outcome;
    outcome.start(std::move(task));
    while (!outcome.done()) executor_.run();
    EXPECT_TRUE(*outcome) << outcome->error().message;
  }

  bool knows(const Members& node, cluster::Run run) {
    testing::Outcome<bool> outcome;
    outcome.start(node.has(run));
    while (!outcome.done()) executor_.run();
    EXPECT_TRUE(*outcome);
    return *outcome && **outcome;
  }

  static MembersSettings settings(const std::string& name) {
    return {name, name + ":7946", std::chrono::hours(1)};
  }

  // As `node` sees them.
  static std::set<std::string> names(const Members& node) {
    std::set<std::string> all;
    for (const auto& member : node.list()->all()) {
      all.insert(member.name + (member.leaving ? " leaving" : ""));
    }
    return all;
  }

  testing::ManualExecutor executor_;
  policy::Keyring keys_{{std::string(32, 'k')}};
  fs::path folder_;
  std::unique_ptr<store::EmbeddedStore> store_;
};

TEST_F(MembersTest, SeeThoseThatHaveJoinedAndNotThoseThatHaveLeft) {
  using Names = std::set<std::string>;
  Members one(*store_);
  EXPECT_FALSE(one.joined());
  EXPECT_TRUE(one.certain());
  wait(one.join(settings("one")));
  EXPECT_EQ(names(one), Names{"one"});
  Members two(*store_);
  wait(two.join(settings("two")));
  EXPECT_EQ(names(two), (Names{"one", "two"}));
  wait(one.leave());
  EXPECT_EQ(names(one), (Names{"one leaving", "two"}));
  EXPECT_EQ(one.list()->member_for("anything")->name, "two");
  wait(one.stop());
  wait(two.stop());
  Members three(*store_);
  wait(three.join(settings("three")));
  EXPECT_EQ(names(three), Names{"three"});
  wait(three.stop());
}

TEST_F(MembersTest, FindOneThatJoinedAfterTheListWasRead) {
  using Names = std::set<std::string>;
  Members one(*store_);
  wait(one.join(settings("one")));
  Members two(*store_);
  wait(two.join(settings("two")));
  EXPECT_EQ(names(one), Names{"one"});
  EXPECT_TRUE(knows(one, two.run()));
  EXPECT_EQ(names(one), (Names{"one", "two"}));
  EXPECT_TRUE(knows(one, two.run()));
  EXPECT_FALSE(knows(one, two.run() + 1));
  EXPECT_FALSE(knows(one, 0));
  EXPECT_EQ(names(one), (Names{"one", "two"}));
  wait(two.stop());
  wait(one.stop());
}

TEST_F(MembersTest, JoinAgainAsNewWhenTheLeaseWasLost) {
  Members node(*store_);
  wait(node.join(settings("node")));
  const cluster::Run before = node.run();
  wait(store_->erase(kNodeTable, fmt::format("{:016x}", before),
                     executor_.now() + std::chrono::minutes(1)));
  wait(node.leave());  // Renews the lease.
  EXPECT_NE(node.run(), before);
  ASSERT_EQ(node.list()->all().size(), 1U);
  EXPECT_EQ(node.list()->all().front().run, node.run());
  wait(node.stop());
}

TEST(MemberTest, IsReadAsItWasWritten) {
  const Member member{0xfedcba9876543210ULL,
                      "a \"name\"",
                      "10.0.0.1:7946",
                      "0.2.0",
                      store::Time(std::chrono::milliseconds(1'700'000'000'123)),
                      true};
  EXPECT_EQ(member_of(text_of(member)), member);
  EXPECT_EQ(member_of("{}"), std::nullopt);
  EXPECT_EQ(member_of(R"({"run":"none"})"), std::nullopt);
}

TEST(MemberListTest, MovesFewKeysWhenAMemberGoes) {
  std::vector<Member> members;
  for (cluster::Run run = 1; run <= 5; ++run) members.push_back({.run = run * 0x123456789abcULL});
  const MemberList before(members);
  const cluster::Run gone = members[2].run;
  members.erase(members.begin() + 2);
  const MemberList after(members);
  int moved = 0;
  constexpr int kKeys = 10'000;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "session " + std::to_string(i);
    const cluster::Run was = before.member_for(key)->run;
    const cluster::Run is = after.member_for(key)->run;
    if (was == gone) ++moved;
    EXPECT_TRUE(was == is || was == gone);
  }
  EXPECT_GT(moved, kKeys / 5 - 400);
  EXPECT_LT(moved, kKeys / 5 + 400);
  EXPECT_EQ(before.find(gone)->run, gone);
  EXPECT_EQ(after.find(gone), nullptr);
  EXPECT_EQ(MemberList().member_for("x"), nullptr);
}

}  // namespace
}  // namespace patchbay::cluster
