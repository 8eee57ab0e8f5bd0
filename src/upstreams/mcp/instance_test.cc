// The state machine of an instance: start, restarts with growing pauses, the breaker, a session
// that the server has lost, stop.
#include "upstreams/mcp/instance.h"

#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_mcp_server.h"
#include "testing/manual_executor.h"

namespace patchbay::upstreams {
namespace {

using config::Duration;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeCall;
using testing::FakeMcpServer;

constexpr auto kWork =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__work"}})";
constexpr auto kDone = R"({"content":[]})";

// One server and both ends of the way to it.
struct Reached {
  Reached() { near.connect(far); }
  testing::MemoryChannel near;
  testing::MemoryChannel far;
  FakeMcpServer server{far};
};

// What the test sees of the connections that an instance makes.
struct Servers {
  std::vector<std::shared_ptr<Reached>> made;
  bool down = false;  // Nothing can be reached.
  int ended = 0;

  Reached& last() { return *made.back(); }
};

class FakeConnection final : public Connection {
 public:
  FakeConnection(std::shared_ptr<Reached> reached, Servers& servers)
      : reached_(std::move(reached)), servers_(servers) {}
  transport::Channel& channel() override { return reached_->near; }
  Task<void> end(bool) override {
    reached_->near.close();
    ++servers_.ended;
    co_return ok();
  }

 private:
  const std::shared_ptr<Reached> reached_;
  Servers& servers_;
};

class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(Servers& servers) : servers_(servers) {}
  Task<std::unique_ptr<Connection>> connect(Deadline) override {
    auto reached = std::make_shared<Reached>();
    servers_.made.push_back(reached);
    if (servers_.down) co_return Error{Code::upstream_failed, "nothing there"};
    std::unique_ptr<Connection> made = std::make_unique<FakeConnection>(reached, servers_);
    co_return made;
  }

 private:
  Servers& servers_;
};

class InstanceTest : public ::testing::Test, protected Instance::Owner {
 protected:
  void SetUp() override {
    McpSettings settings;
    settings.restart = {Duration(100), Duration(10'000), 4, Duration(60'000)};
    settings.health.interval = Duration(0);
    settings.protocol.revision = Spoken::v2025_11_25;
    Instance::Owner& owner = *this;
    instance_.emplace(Instance::Parts{loop_, "fake", settings,
                                      std::make_unique<FakeConnector>(servers_), owner, counters_,
                                      *restarts_, true, "0"});
  }

  void start() {
    started_.start(instance_->start());
    run_all();
  }

  void TearDown() override {
    testing::Outcome<void> stopped;
    stopped.start(instance_->stop(executor_.now() + seconds(1)));
    run_all();
    executor_.pass(seconds(2));
    run_all();
    EXPECT_TRUE(stopped.done());
  }

  void run_all() {
    for (int turn = 0; turn < 30; ++turn) executor_.run();
  }

  void pass(milliseconds span) {
    executor_.pass(span);
    run_all();
  }

  void on_items(Instance&, mcp::ItemLists, std::shared_ptr<const gateway::LeftOut>) override {
    ++lists_;
  }
  void on_items_refused(Instance&, const Error&) override {}
  void on_updated(Instance&, const std::string&) override {}
  void on_task(Instance&, const gateway::TaskUpdate&) override {}
  std::vector<std::string> subscribed(Instance&) override { return {}; }
  void on_state(Instance&, const gateway::UpstreamState&) override {}

  testing::ManualExecutor executor_;
  net::Loop loop_;
  metrics::Registry registry_;
  LinkCounters counters_{registry_, "fake"};
  std::shared_ptr<metrics::Counter> restarts_ = registry_.counter("restarts", "", "");
  Servers servers_;
  std::optional<Instance> instance_;
  testing::Outcome<void> started_;
  int lists_ = 0;
};

TEST_F(InstanceTest, ComesUpListsAndAnswers) {
  start();
  EXPECT_TRUE(started_.done());
  EXPECT_TRUE(instance_->up());
  EXPECT_EQ(lists_, 1);
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  EXPECT_EQ(instance_->running(), 1);
  servers_.last().server.answer(kDone);
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply)->body, kDone);
  EXPECT_EQ(instance_->running(), 0);
}

// The client may have gone while its subscription ends.
TEST_F(InstanceTest, ASubscriptionIsNoRunningCall) {
  start();
  FakeCall call(
      R"({"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"x:1"}})");
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "x:1", Clock::now()));
  run_all();
  EXPECT_FALSE(reply.done());
  EXPECT_EQ(instance_->running(), 0);
  servers_.last().server.answer("{}");
  run_all();
  EXPECT_TRUE(reply.done());
}

// A call that finds the connection free must not avoid it for a list.
TEST_F(InstanceTest, AListIsNoRunningCall) {
  start();
  servers_.last().server.send(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  for (int turn = 0; turn < 30; ++turn) {
    executor_.run();
    EXPECT_EQ(instance_->running(), 0) << turn;
  }
  EXPECT_EQ(lists_, 2);
}

TEST_F(InstanceTest, ListsAgainOnlyAfterAPauseHoweverOftenTheServerWantsIt) {
  constexpr auto kChanged = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  start();
  FakeMcpServer& server = servers_.last().server;
  const auto change = [&](int times) {
    for (int i = 0; i < times; ++i) server.send(kChanged);
    run_all();
  };
  change(1);
  EXPECT_EQ(lists_, 2) << "the first change is seen at once";
  for (int i = 0; i < 50; ++i) change(100);
  EXPECT_EQ(lists_, 2);
  pass(milliseconds(300));
  EXPECT_EQ(lists_, 3) << "all changes of the pause are seen together";
  pass(milliseconds(600));
  EXPECT_EQ(lists_, 3) << "there was no other change";
  change(1);
  EXPECT_EQ(lists_, 4);
}

TEST_F(InstanceTest, StartsWithItsFirstCall) {
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  ASSERT_EQ(servers_.made.size(), 1U);
  servers_.last().server.answer(kDone);
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply)->body, kDone);
}

TEST_F(InstanceTest, RestartsWithPausesThatGrow) {
  start();
  servers_.down = true;
  servers_.last().server.die("exit 1");
  run_all();
  EXPECT_FALSE(instance_->up());
  EXPECT_EQ(servers_.made.size(), 1U) << "not before the pause has passed";
  pass(milliseconds(150));
  EXPECT_EQ(servers_.made.size(), 2U) << "after 100 ms";
  pass(milliseconds(150));
  EXPECT_EQ(servers_.made.size(), 2U) << "the second pause is longer";
  pass(milliseconds(100));
  EXPECT_EQ(servers_.made.size(), 3U) << "after 200 ms";
}

TEST_F(InstanceTest, ACallWaitsForARestartThatIsNear) {
  start();
  servers_.last().server.die("exit 1");
  run_all();
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  EXPECT_FALSE(reply.done());
  pass(milliseconds(150));
  ASSERT_EQ(servers_.made.size(), 2U);
  servers_.last().server.answer(kDone);
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply)->body, kDone);
}

TEST_F(InstanceTest, CallsFailAtOnceWhileTheBreakerIsOpen) {
  start();
  servers_.down = true;
  servers_.last().server.die("exit 1");
  run_all();
  pass(milliseconds(150));
  pass(milliseconds(250));
  pass(milliseconds(450));  // The fourth exit opens it.
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::unavailable);
  EXPECT_NE((*reply).error().message.find("breaker open"), std::string::npos);
  const auto tries = servers_.made.size();
  pass(seconds(5));
  EXPECT_EQ(servers_.made.size(), tries) << "the longest pause has not passed";
  pass(seconds(6));
  EXPECT_EQ(servers_.made.size(), tries + 1);
}

TEST_F(InstanceTest, RepeatsTheHandshakeAndTheCallWhenTheSessionIsLost) {
  start();
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  Reached& reached = servers_.last();
  ASSERT_EQ(reached.server.open.size(), 1U);
  const std::uint64_t id = std::stoull(reached.server.open[0].id);
  reached.server.open.clear();
  reached.near.forget_session(id);
  run_all();
  EXPECT_FALSE(reply.done());
  EXPECT_EQ(reached.server.count("initialize"), 2U);
  ASSERT_EQ(reached.server.open.size(), 1U) << "the call is sent again";
  reached.server.answer(kDone);
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply)->body, kDone);
  EXPECT_EQ(servers_.made.size(), 1U) << "the connection stays";
}

TEST_F(InstanceTest, StopLetsCallsFinish) {
  start();
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  testing::Outcome<void> stopped;
  stopped.start(instance_->stop(executor_.now() + seconds(10)));
  run_all();
  EXPECT_FALSE(stopped.done());
  servers_.last().server.answer(kDone);
  run_all();
  EXPECT_TRUE(reply.done());
  EXPECT_TRUE(stopped.done());
  EXPECT_EQ(servers_.ended, 1);
}

TEST_F(InstanceTest, StopDoesNotWaitForAServerThatIsLostMeanwhile) {
  start();
  FakeCall call(kWork);
  testing::Outcome<mcp::Reply> reply;
  reply.start(instance_->answer(call.call, "work", Clock::now()));
  run_all();
  testing::Outcome<void> stopped;
  stopped.start(instance_->stop(executor_.now() + seconds(10)));
  run_all();
  servers_.last().server.die("exit 1");
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::upstream_failed);
  EXPECT_TRUE(stopped.done());
}

}  // namespace
}  // namespace patchbay::upstreams
