// Calls that outlive their request: questions as results, answers in the next request, what a state
// may not be used for, clients that do not return.
#include "gateway/parked_calls.h"

#include <gtest/gtest.h>

#include "gateway/server.h"
#include "json/read.h"
#include "store/embedded_store.h"
#include "testing/fake_call.h"
#include "testing/fake_upstream.h"
#include "testing/manual_executor.h"

namespace patchbay::gateway {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::FakeCall;

// Asks its client for a name before it answers.
class AskingUpstream final : public Upstream {
 public:
  std::string_view name() const override { return "up"; }
  std::string_view kind() const override { return "asking"; }
  Task<void> start() override { co_return ok(); }
  Task<mcp::Reply> answer(const Call& call, std::string_view) override {
    ++calls;
    const auto answer = std::make_shared<OneShot<mcp::Reply>>();
    const std::string params = R"({"message":"name?","requestedSchema":{"type":"object",)"
                               R"("properties":{"n":{"type":"string"}}}})";
    ask(call, "elicitation/create", params,
        [answer](mcp::Reply reply) { answer->deliver(std::move(reply)); });
    auto given = co_await answer->wait();
    ++ended;
    if (!given) co_return given.error();
    if (given->is_error) co_return Error{Code::upstream_failed, "no name"};
    co_return mcp::result_reply(R"({"content":[],"got":)" + given->body + "}");
  }
  UpstreamState state() const override { return {true, ""}; }
  Task<void> stop(Deadline) override { co_return ok(); }

  int calls = 0;
  int ended = 0;
};

constexpr auto kCapabilities = R"({"elicitation":{"form":{}}})";

class ParkedCallsTest : public ::testing::Test {
 protected:
  ParkedCallsTest() {
    directory_.workers.push_back(&parked_);
    directory_.executors.push_back(&executor_);
    server_.set_parked(parked_);
    Offer offer{upstream_, {}};
    mcp::of(offer.items, mcp::ItemKind::tool).push_back({"t", R"({"name":"t","inputSchema":{}})"});
    view_.update(std::make_shared<const Catalog>(std::vector{offer}, NameSettings()), true);
  }

  // One request of a stateless client, with further raw members of its parameters.
  std::string ask(std::string_view more = "", std::string_view arguments = "{}",
                  Caller caller = local_caller()) {
    FakeCall call(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__t",)"
                  R"("arguments":)" +
                      std::string(arguments) + std::string(more) + "}}",
                  mcp::kNewest);
    call.call.caller = std::move(caller);
    call.call.capabilities = kCapabilities;
    call.call.deadline = server_.deadline();
    testing::Outcome<mcp::Reply> reply;
    reply.start(server_.answer(call.call));
    executor_.run();
    // Questions are gathered for a moment before they are sent.
    for (int i = 0; i < 5 && !reply.done(); ++i) executor_.pass(std::chrono::milliseconds(50));
    EXPECT_TRUE(reply.done());
    if (!reply.done()) return "";
    return *reply ? (*reply)->body : (*reply).error().message;
  }

  static std::string state_in(const std::string& result) {
    return std::string(json::member(result, "requestState").value_or(""));
  }

  static std::string answers(const std::string& state) {
    return R"(,"inputResponses":{"elicitation-1":{"action":"accept","content":{"n":"x"}}},)"
           R"("requestState":)" +
           state;
  }

  void TearDown() override {
    testing::Outcome<void> stopped;
    stopped.start(parked_.stop());
    for (int i = 0; i < 5; ++i) executor_.run();
    EXPECT_TRUE(stopped.done());
    EXPECT_EQ(upstream_->calls, upstream_->ended);
  }

  testing::ManualExecutor executor_;
  metrics::Registry registry_;
  policy::Limiter limiter_{10};
  CatalogView view_;
  Recorder recorder_{registry_};
  Subscriptions subscriptions_;
  policy::Keyring keys_{{std::string(32, 'k')}};
  TaskIds tasks_{keys_};
  TaskTools task_tools_;
  StoredResults stored_;
  std::unique_ptr<store::EmbeddedStore> store_ = *store::EmbeddedStore::open("", keys_);
  policy::Approvals approvals_{*store_};
  Pipeline pipeline_{limiter_, view_,       approvals_, subscriptions_,
                     tasks_,   task_tools_, stored_,    recorder_};
  McpServer server_{pipeline_, {minutes(10), minutes(10), minutes(1), minutes(1)}};
  cluster::Members members_{*store_};
  ParkedCalls::Directory directory_{keys_, members_};
  ParkedCalls parked_{0, pipeline_, directory_};
  std::shared_ptr<AskingUpstream> upstream_ = std::make_shared<AskingUpstream>();
};

TEST_F(ParkedCallsTest, AsksWithItsResultAndGoesOnWithTheAnswers) {
  const std::string asked = ask();
  EXPECT_EQ(json::string_member(asked, "resultType"), "input_required");
  EXPECT_NE(asked.find(R"("elicitation-1":{"method":"elicitation/create")"), std::string::npos);
  const std::string done = ask(answers(state_in(asked)));
  EXPECT_NE(done.find(R"("got":{"action":"accept")"), std::string::npos);
  EXPECT_EQ(upstream_->calls, 1) << "the call was made once";
}

TEST_F(ParkedCallsTest, ARequestThatGoesOnLinksToTheCall) {
  trace::CallHistory history(10);
  recorder_.set_tracing({.history = &history});
  ask(answers(state_in(ask())));
  const auto calls = history.since(0, 10);
  ASSERT_EQ(calls.size(), 2U) << "the call, and the request that went on with it";
  EXPECT_FALSE(calls[0].call.record().link.valid());
  EXPECT_EQ(calls[1].call.record().link, calls[0].call.record().context);
  EXPECT_NE(calls[1].call.record().context.trace, calls[0].call.record().context.trace);
}

TEST_F(ParkedCallsTest, AStateIsGoodOnce) {
  const std::string state = state_in(ask());
  EXPECT_NE(ask(answers(state)).find("content"), std::string::npos);
  EXPECT_NE(ask(answers(state)).find("was not made here, has been used"), std::string::npos);
}

TEST_F(ParkedCallsTest, AStateIsForOneRequestAndOneCaller) {
  const std::string state = state_in(ask());
  EXPECT_NE(ask(answers(state), R"({"other":1})").find("is for another request"),
            std::string::npos);
  const auto other = std::make_shared<const Principal>(Principal{"2", "other", AuthMethod::none});
  EXPECT_NE(ask(answers(state), "{}", other).find("is for another request"), std::string::npos);
  EXPECT_NE(ask(answers(state)).find(R"("got")"), std::string::npos) << "it is still good";
}

TEST_F(ParkedCallsTest, AStateOfAnEarlierProcessReportsTheInterruption) {
  const cluster::Members before(*store_);
  ParkedCalls::Directory earlier{keys_, before};
  ParkedCalls parked(0, pipeline_, earlier);
  earlier.workers.push_back(&parked);
  earlier.executors.push_back(&executor_);
  server_.set_parked(parked);
  const std::string state = state_in(ask());
  server_.set_parked(parked_);
  const std::string refused = ask(answers(state));
  EXPECT_NE(refused.find("interrupted by a restart"), std::string::npos) << refused;
  EXPECT_NE(ask(answers(state), R"({"other":1})").find("is for another request"),
            std::string::npos);
  EXPECT_EQ(upstream_->calls, 1) << "it is not called again";
  testing::Outcome<void> stopped;
  stopped.start(parked.stop());
  for (int i = 0; i < 5; ++i) executor_.run();
}

TEST_F(ParkedCallsTest, WhatIsNotAnsweredIsAskedAgain) {
  const std::string first = ask();
  const std::string again = ask(R"(,"inputResponses":{},"requestState":)" + state_in(first));
  EXPECT_EQ(json::string_member(again, "resultType"), "input_required");
  EXPECT_NE(state_in(again), state_in(first));
  EXPECT_NE(ask(answers(state_in(again))).find(R"("got")"), std::string::npos);
}

TEST_F(ParkedCallsTest, EndsTheCallOfAClientThatDoesNotReturn) {
  EXPECT_EQ(json::string_member(ask(), "resultType"), "input_required");
  EXPECT_EQ(upstream_->ended, 0);
  executor_.pass(minutes(2));
  for (int i = 0; i < 5; ++i) executor_.run();
  EXPECT_EQ(upstream_->ended, 1);
}

}  // namespace
}  // namespace patchbay::gateway
