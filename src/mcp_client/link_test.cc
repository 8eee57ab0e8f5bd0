// The state machine of a link: handshake, calls, late answers, cancellation, timeouts, questions of
// the server.
#include "mcp_client/link.h"

#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_mcp_server.h"
#include "testing/manual_executor.h"

namespace patchbay::upstreams {
namespace {

using std::chrono::seconds;
using testing::FakeCall;
using testing::FakeMcpServer;

constexpr auto kWork =
    R"({"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"up__work"}})";
constexpr auto kDone = R"({"content":[]})";

class LinkTest : public ::testing::Test, protected McpLink::Events {
 protected:
  LinkTest() { near_.connect(far_); }

  void connect(FakeMcpServer::Traits traits = {}, McpSettings settings = {}) {
    server_.emplace(far_, std::move(traits));
    McpLink::Events& events = *this;
    link_.emplace(near_, events, counters_, "0", settings);
    near_.start(*link_);
  }

  // A link whose handshake is done.
  void open(FakeMcpServer::Traits traits = {}) {
    const auto mode = traits.stateless ? HandshakeMode::stateless : HandshakeMode::session_based;
    connect(std::move(traits));
    testing::Outcome<void> opened;
    opened.start(link_->open(mode, seconds(3), kNever));
    run_all();
    ASSERT_TRUE(opened.done());
    ASSERT_TRUE(*opened);
  }

  // Runs until nothing is on its way any more.
  void run_all() {
    for (int turn = 0; turn < 20; ++turn) executor_.run();
  }

  void TearDown() override {
    if (!link_) return;
    testing::Outcome<void> finished;
    finished.start(link_->finish());
    run_all();
    EXPECT_TRUE(finished.done());
  }

  void on_items_changed() override { ++items_changed_; }
  void on_updated(const std::string&) override {}
  void on_task(const gateway::TaskUpdate&) override {}
  void on_forgotten() override {}
  void on_link_closed(const std::string& why) override { closed_ = why; }

  testing::ManualExecutor executor_;
  metrics::Registry registry_;
  LinkCounters counters_{registry_, "fake"};
  testing::MemoryChannel near_;
  testing::MemoryChannel far_;
  std::optional<FakeMcpServer> server_;
  std::optional<McpLink> link_;
  int items_changed_ = 0;
  std::string closed_;
};

TEST_F(LinkTest, FindsOutThatAServerHasSessions) {
  connect();
  testing::Outcome<void> opened;
  opened.start(link_->open(HandshakeMode::ask, seconds(3), kNever));
  run_all();
  ASSERT_TRUE(opened.done());
  EXPECT_TRUE(*opened);
  EXPECT_EQ(server_->methods, (std::vector<std::string>{"server/discover", "initialize",
                                                        "notifications/initialized"}));
  EXPECT_EQ(link_->revision(), mcp::Revision::v2025_11_25);
}

TEST_F(LinkTest, FindsOutThatAServerIsStateless) {
  connect({.stateless = true});
  testing::Outcome<void> opened;
  opened.start(link_->open(HandshakeMode::ask, seconds(3), kNever));
  run_all();
  ASSERT_TRUE(opened.done());
  EXPECT_EQ(server_->methods, std::vector<std::string>{"server/discover"});
  EXPECT_TRUE(link_->stateless());
}

TEST_F(LinkTest, TakesSilenceForAServerWithSessions) {
  connect({.silent_to_discover = true});
  testing::Outcome<void> opened;
  opened.start(link_->open(HandshakeMode::ask, seconds(3), kNever));
  run_all();
  EXPECT_EQ(server_->count("initialize"), 0U);
  executor_.pass(seconds(4));
  run_all();
  ASSERT_TRUE(opened.done());
  EXPECT_TRUE(*opened);
  EXPECT_FALSE(link_->stateless());
  EXPECT_EQ(server_->count("notifications/cancelled"), 0U) << "a handshake is not cancelled";
}

TEST_F(LinkTest, AnswersACallUnderAnIdOfItsOwn) {
  open();
  FakeCall call(kWork);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  ASSERT_EQ(server_->open.size(), 1U);
  EXPECT_NE(server_->open[0].id, R"("mine")");
  EXPECT_NE(server_->open[0].params.find(R"("name":"work")"), std::string::npos);
  EXPECT_FALSE(reply.done());
  server_->answer(kDone);
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply)->body, kDone);
}

TEST_F(LinkTest, MatchesAnswersOutOfOrder) {
  open();
  FakeCall first(kWork);
  FakeCall second(kWork);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> one;
  testing::Outcome<mcp::Reply> two;
  one.start(link_->ask(first.call, "work", deadline));
  two.start(link_->ask(second.call, "work", deadline));
  run_all();
  ASSERT_EQ(server_->open.size(), 2U);
  server_->reply(server_->open[1].id, R"({"of":2})");
  run_all();
  EXPECT_FALSE(one.done());
  server_->reply(server_->open[0].id, R"({"of":1})");
  run_all();
  ASSERT_TRUE(one.done() && two.done());
  EXPECT_EQ((*one)->body, R"({"of":1})");
  EXPECT_EQ((*two)->body, R"({"of":2})");
}

TEST_F(LinkTest, CancelsACallThatTimesOutAndDropsItsLateAnswer) {
  open();
  FakeCall call(kWork);
  Deadline deadline = executor_.now() + seconds(5);
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  executor_.pass(seconds(6));
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::timeout);
  EXPECT_EQ(server_->count("notifications/cancelled"), 1U);
  EXPECT_NE(server_->texts.back().find(R"("requestId":)" + server_->open[0].id), std::string::npos);
  server_->answer(kDone);
  run_all();
  EXPECT_EQ(counters_.late->value(), 1U);
  EXPECT_EQ(counters_.unknown_id->value(), 0U);
}

TEST_F(LinkTest, CountsAnswersToNothing) {
  open();
  server_->reply("4711", kDone);
  run_all();
  EXPECT_EQ(counters_.unknown_id->value(), 1U);
}

TEST_F(LinkTest, PassesACancellationOn) {
  open();
  FakeCall call(kWork);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  reply.cancel();
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::cancelled);
  EXPECT_EQ(server_->count("notifications/cancelled"), 1U);
}

TEST_F(LinkTest, AsksTheClientOfTheOnlyCallAndStopsTheClockMeanwhile) {
  open();
  FakeCall call(kWork);
  Deadline deadline = executor_.now() + seconds(5);
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  server_->send(
      R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?"}})");
  run_all();
  ASSERT_EQ(call.client.questions.size(), 1U);
  executor_.pass(seconds(30));
  run_all();
  EXPECT_FALSE(reply.done()) << "the time of the client counts";
  call.client.questions[0].answer(mcp::result_reply(R"({"action":"decline"})"));
  run_all();
  EXPECT_NE(server_->texts.back().find(R"("id":7,"result":{"action":"decline"})"),
            std::string::npos);
  executor_.pass(seconds(6));
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::timeout) << "the clock goes on after the answer";
}

// A call whose client has gone is in nobody's way, but of another caller nothing is passed on.
TEST_F(LinkTest, LeavesAnAbandonedCallOfTheSameCallerAside) {
  open();
  FakeCall gone(kWork);
  FakeCall there(kWork);
  gone.call.session = "one";
  there.call.session = "two";
  gone.call.abandoned = true;
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> one;
  testing::Outcome<mcp::Reply> two;
  one.start(link_->ask(gone.call, "work", deadline));
  two.start(link_->ask(there.call, "work", deadline));
  run_all();
  server_->send(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}})");
  run_all();
  EXPECT_EQ(there.client.questions.size(), 1U);
  EXPECT_TRUE(gone.client.questions.empty());
  there.client.questions[0].answer(mcp::result_reply(R"({"action":"decline"})"));
  gone.call.caller = std::make_shared<const Principal>(Principal{.id = "somebody else"});
  server_->send(R"({"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{}})");
  run_all();
  EXPECT_EQ(there.client.questions.size(), 1U);
  EXPECT_EQ(counters_.refused->value(), 1U);
  for (const auto& open : std::vector(server_->open)) server_->reply(open.id, kDone);
  run_all();
}

TEST_F(LinkTest, RequestsProgressOfACallThatItGivesMoreTime) {
  open();
  FakeCall plain(kWork);
  FakeCall timed(kWork);
  timed.call.clock = {.limit = seconds(3), .total = seconds(9)};
  Deadline deadline = executor_.now() + seconds(3);
  timed.call.deadline = deadline;
  testing::Outcome<mcp::Reply> one;
  testing::Outcome<mcp::Reply> two;
  one.start(link_->ask(plain.call, "work", deadline));
  two.start(link_->ask(timed.call, "work", deadline));
  run_all();
  ASSERT_EQ(server_->open.size(), 2U);
  EXPECT_EQ(server_->open[0].params.find("progressToken"), std::string::npos);
  const std::string token = server_->open[1].id;
  EXPECT_NE(server_->open[1].params.find(R"("_meta":{"progressToken":)" + token + "}"),
            std::string::npos);
  executor_.pass(seconds(2));
  server_->send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
                token + R"(,"progress":1}})");
  run_all();
  executor_.pass(seconds(2));
  run_all();
  EXPECT_FALSE(two.done());
  EXPECT_TRUE(timed.client.notifications.empty()) << "the client did not ask";
  for (const auto& open : std::vector(server_->open)) server_->reply(open.id, kDone);
  run_all();
}

TEST_F(LinkTest, RefusesQuestionsThatBelongToNoCall) {
  open();
  server_->send(R"({"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}})");
  server_->send(R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  run_all();
  EXPECT_EQ(counters_.refused->value(), 1U);
  EXPECT_NE(server_->texts[server_->texts.size() - 2].find("-32601"), std::string::npos);
  EXPECT_NE(server_->texts.back().find(R"("id":8,"result":{})"), std::string::npos);
}

TEST_F(LinkTest, FailsWhatWaitsWhenTheServerIsLost) {
  open();
  FakeCall call(kWork);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  server_->die("exit 1");
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::upstream_failed);
  EXPECT_EQ(closed_, "exit 1");
  EXPECT_TRUE(link_->closed());
}

TEST_F(LinkTest, RefusesACallThatTheChannelDoesNotTake) {
  open();
  near_.set_room(0);
  FakeCall call(kWork);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().code, Code::overloaded);
}

// A server with tasks for tools, and a client of a revision that knows none.
constexpr auto kHasTasks = R"({"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}})";

TEST_F(LinkTest, RequestsNoTaskOfAToolThatHasNone) {
  open({.capabilities = kHasTasks});
  FakeCall call(kWork, mcp::Revision::v2025_06_18);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  ASSERT_EQ(server_->open.size(), 1U);
  EXPECT_EQ(server_->open[0].params.find(R"("task")"), std::string::npos);
  server_->answer(kDone);
  run_all();
  EXPECT_EQ((*reply)->body, kDone);
}

TEST_F(LinkTest, WaitsForTheTaskOfAToolThatRunsOnlyAsOne) {
  open({.capabilities = kHasTasks});
  FakeCall call(kWork, mcp::Revision::v2025_06_18);
  call.call.task_support = mcp::TaskSupport::required;
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  ASSERT_EQ(server_->open.size(), 1U);
  EXPECT_NE(server_->open[0].params.find(R"("task")"), std::string::npos);
  server_->answer(R"({"task":{"taskId":"t1","status":"working"}})");
  run_all();
  ASSERT_EQ(server_->open.size(), 1U);
  EXPECT_EQ(server_->open[0].method, "tasks/result");
  server_->answer(kDone);
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply)->body, kDone);
}

// A call whose server reports more progress than it may.
class ProgressTest : public LinkTest {
 protected:
  void SetUp() override {
    McpSettings settings;
    settings.max_notifications = 2;
    connect({}, settings);
    testing::Outcome<void> opened;
    opened.start(link_->open(HandshakeMode::session_based, seconds(3), kNever));
    run_all();
    ASSERT_TRUE(opened.done());
    deadline_ = executor_.now() + seconds(60);
    reply_.start(link_->ask(call_.call, "work", deadline_));
    run_all();
    ASSERT_EQ(server_->open.size(), 1U);
  }

  void report(int from, int to) {
    for (int i = from; i <= to; ++i) {
      server_->send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{)"
                    R"("progressToken":)" +
                    token() + R"(,"progress":)" + std::to_string(i) + "}}");
    }
    run_all();
  }

  std::string token() const {
    const std::string& params = server_->open[0].params;
    constexpr std::string_view kKey = R"("progressToken":)";
    const auto at = params.find(kKey) + kKey.size();
    return params.substr(at, params.find_first_of(",}", at) - at);
  }

  // The numbers that the client has received.
  std::vector<std::string> seen() const {
    std::vector<std::string> numbers;
    for (const auto& text : call_.client.notifications) {
      const auto at = text.find(R"("progress":)") + 11;
      numbers.push_back(text.substr(at, text.find_first_of(",}", at) - at));
    }
    return numbers;
  }

  FakeCall call_{R"({"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{)"
                 R"("name":"up__work","_meta":{"progressToken":"p"}}})"};
  testing::Outcome<mcp::Reply> reply_;
  Deadline deadline_ = kNever;
};

TEST_F(ProgressTest, TheNewestOfTooMuchIsSentLater) {
  report(1, 9);
  EXPECT_EQ(seen(), (std::vector<std::string>{"1", "2"}));
  executor_.pass(std::chrono::milliseconds(1'100));
  run_all();
  EXPECT_EQ(seen(), (std::vector<std::string>{"1", "2", "9"}));
  report(10, 10);
  EXPECT_EQ(seen().back(), "10") << "it is not sent twice";
  server_->answer(kDone);
  run_all();
  EXPECT_EQ(seen().size(), 4U);
  ASSERT_TRUE(reply_.done());
}

TEST_F(ProgressTest, TheNewestComesBeforeTheAnswer) {
  report(1, 9);
  server_->answer(kDone);
  run_all();
  EXPECT_EQ(seen(), (std::vector<std::string>{"1", "2", "9"}));
  ASSERT_TRUE(reply_.done());
  executor_.pass(seconds(2));
  run_all();
  EXPECT_EQ(seen().size(), 3U);
}

TEST_F(LinkTest, RefusesATaskThatNobodyRequested) {
  open({.stateless = true});
  FakeCall call(kWork);
  Deadline deadline = kNever;
  testing::Outcome<mcp::Reply> reply;
  reply.start(link_->ask(call.call, "work", deadline));
  run_all();
  server_->answer(R"({"resultType":"task","taskId":"t1","status":"working"})");
  run_all();
  ASSERT_TRUE(reply.done());
  EXPECT_EQ((*reply).error().message, "the upstream made a task for a client without tasks");
}

}  // namespace
}  // namespace patchbay::upstreams
