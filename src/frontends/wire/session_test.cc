// The states of a WireSession: an unknown client, one that has authenticated, requests in progress,
// refusals, the end.
#include "frontends/wire/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "store/embedded_store.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::frontends {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kToken = "a-token-of-some-length";

// Answers when the test requires it.
class SlowUpstream final : public gateway::Upstream {
 public:
  std::string_view name() const override { return "up"; }
  std::string_view kind() const override { return "slow"; }
  Task<void> start() override { co_return ok(); }
  Task<mcp::Reply> answer(const gateway::Call&, std::string_view) override {
    ++calls;
    auto waited = co_await may_answer.wait();
    if (!waited) co_return waited.error();
    co_return mcp::result_reply(R"({"content":[]})");
  }
  gateway::UpstreamState state() const override { return {true, ""}; }
  Task<void> stop(Deadline) override { co_return ok(); }

  int calls = 0;
  OneShot<void> may_answer;
};

class MemorySink final : public WireSink {
 public:
  Result<void> send(std::string_view text, Kind) override {
    texts.emplace_back(text);
    return ok();
  }
  std::size_t most() const override { return 1 << 20; }
  bool in_pieces() const override { return false; }

  std::vector<std::string> texts;
};

class WireSessionTest : public ::testing::Test {
 protected:
  WireSessionTest() {
    gateway::Offer offer{upstream_, {}};
    mcp::of(offer.items, mcp::ItemKind::tool).push_back({"t", R"({"name":"t","inputSchema":{}})"});
    view_.update(
        std::make_shared<const gateway::Catalog>(std::vector{offer}, gateway::NameSettings()),
        true);
    authenticator_.use(nullptr);
  }

  void require_token() {
    auto made =
        policy::Authenticator::make(auth_settings(), {}, policy::Digester(policy::Digest{}), {});
    ASSERT_TRUE(made);
    authenticator_.use(*made);
  }

  static policy::AuthSettings auth_settings() {
    policy::AuthSettings settings;
    settings.tokens.push_back({"ci", kToken, "", {}, {}});
    return settings;
  }

  void open(const WireSettings& settings = {}) {
    host_.emplace(server_, view_, authenticator_, shared_,
                  std::make_shared<WireState>(settings, 100));
    session_.emplace(*host_, sink_, WirePeer{"wire-tcp", net::PeerAddress(), "127.0.0.1"});
    running_.start(session_->run(seconds(5)));
    run_all();
  }

  void run_all() {
    for (int turn = 0; turn < 20; ++turn) executor_.run();
  }

  // Whether the session goes on after a message with that payload.
  bool take(std::string_view payload, std::string_view token = "") {
    const std::string id = fmt::format("m{}", ++sent_);
    const std::string text =
        wire::write({.source = wire::kRouter, .auth_token = token, .id = id}, payload);
    testing::Outcome<void> taken;
    taken.start(session_->take(text));
    run_all();
    EXPECT_TRUE(taken.done());
    return taken.done() && static_cast<bool>(*taken);
  }

  bool initialize(std::string_view token = "") {
    return take(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
                R"("2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})",
                token);
  }

  static std::string call(int id) {
    return fmt::format(
        R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"up__t"}}}})", id);
  }

  // The envelope that was sent last.
  std::string_view last() const {
    return sink_.texts.empty() ? "" : std::string_view(sink_.texts.back());
  }
  std::string answered() const {
    return json::string_member(last(), "correlation_id").value_or("");
  }
  std::string_view member(std::string_view name) const {
    return json::member(last(), name).value_or("");
  }

  void TearDown() override {
    if (!session_) return;
    session_->end_at_once();
    run_all();
    EXPECT_TRUE(running_.done());
    session_.reset();
  }

  testing::ManualExecutor executor_;
  metrics::Registry registry_;
  policy::Limiter limiter_{10};
  gateway::CatalogView view_;
  gateway::Recorder recorder_{registry_};
  gateway::Subscriptions subscriptions_;
  policy::Keyring keys_{{std::string(32, 'k')}};
  gateway::TaskIds tasks_{keys_};
  gateway::TaskTools task_tools_;
  gateway::StoredResults stored_;
  std::unique_ptr<store::EmbeddedStore> store_ = *store::EmbeddedStore::open("", keys_);
  policy::Approvals approvals_{*store_};
  gateway::Pipeline pipeline_{limiter_, view_,       approvals_, subscriptions_,
                              tasks_,   task_tools_, stored_,    recorder_};
  gateway::McpServer server_{pipeline_, {minutes(10), minutes(10), minutes(1), minutes(1)}};
  SharedAuthState auth_{registry_, auth_settings()};
  RequestAuthenticator authenticator_{auth_};
  WireShared shared_{registry_};
  std::shared_ptr<SlowUpstream> upstream_ = std::make_shared<SlowUpstream>();
  MemorySink sink_;
  std::optional<WireHost> host_;
  testing::Outcome<void> running_;
  std::optional<WireSession> session_;
  int sent_ = 0;
};

TEST_F(WireSessionTest, AnswersUnderTheIdOfTheEnvelopeThatAsked) {
  open();
  EXPECT_TRUE(initialize());
  EXPECT_EQ(answered(), "m1");
  EXPECT_NE(member("mcp_payload").find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
  EXPECT_TRUE(take(call(2)));
  EXPECT_EQ(answered(), "m1") << "the upstream has not answered";
  EXPECT_FALSE(session_->idle());
  EXPECT_TRUE(take(R"({"jsonrpc":"2.0","id":3,"method":"ping"})"));
  EXPECT_EQ(answered(), "m3") << "requests are answered as they finish";
  upstream_->may_answer.deliver(ok());
  run_all();
  EXPECT_EQ(answered(), "m2");
  EXPECT_TRUE(session_->idle());
}

TEST_F(WireSessionTest, RefusesAnIdThatIsInUse) {
  open();
  EXPECT_TRUE(initialize());
  EXPECT_TRUE(take(call(2)));
  EXPECT_TRUE(take(call(2)));
  EXPECT_NE(member("error").find("already running"), std::string::npos);
  EXPECT_EQ(upstream_->calls, 1);
}

TEST_F(WireSessionTest, ACancelledRequestGetsNoAnswer) {
  open();
  EXPECT_TRUE(initialize());
  EXPECT_TRUE(take(call(2)));
  const auto before = sink_.texts.size();
  EXPECT_TRUE(
      take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})"));
  EXPECT_TRUE(session_->idle());
  upstream_->may_answer.deliver(ok());
  run_all();
  EXPECT_EQ(sink_.texts.size(), before);
}

TEST_F(WireSessionTest, AnUnknownClientHasOneAttempt) {
  require_token();
  open();
  EXPECT_EQ(session_->allowed(), WireSettings().max_unknown.value);
  EXPECT_FALSE(initialize("not-the-token")) << "the connection is to be closed";
  EXPECT_EQ(answered(), "m1");
  EXPECT_FALSE(member("error").empty());
  EXPECT_FALSE(session_->known());
}

TEST_F(WireSessionTest, TheFirstTokenSpeaksForTheConnection) {
  require_token();
  open();
  EXPECT_TRUE(initialize(kToken));
  EXPECT_TRUE(session_->known());
  EXPECT_EQ(session_->allowed(), WireSettings().max_frame.value);
  EXPECT_TRUE(take(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"));
  EXPECT_EQ(answered(), "m2");
  EXPECT_TRUE(take(R"({"jsonrpc":"2.0","id":3,"method":"ping"})", "not-the-token"))
      << "a known client may go on";
  EXPECT_FALSE(member("error").empty());
}

TEST_F(WireSessionTest, EveryMessageNeedsATokenIfRequired) {
  require_token();
  open({.per_message_auth = MessageAuth::required});
  EXPECT_TRUE(initialize(kToken));
  EXPECT_TRUE(take(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"));
  EXPECT_NE(member("error").find("per_message_auth"), std::string::npos);
}

TEST_F(WireSessionTest, BoundsTheRequestsOfAClientInTime) {
  open({.rate_limiting = {.default_limit = 2, .window = config::Duration(60'000)}});
  const auto list = [](int id) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/list"}})", id);
  };
  EXPECT_TRUE(initialize());
  EXPECT_TRUE(take(list(2)));
  EXPECT_TRUE(take(list(3)));
  EXPECT_TRUE(member("error").empty());
  EXPECT_TRUE(take(list(4)));
  EXPECT_NE(member("error").find("wire.rate_limiting"), std::string::npos);
  executor_.pass(seconds(61));
  EXPECT_TRUE(take(list(5)));
  EXPECT_EQ(answered(), "m5");
  EXPECT_TRUE(member("error").empty());
}

TEST_F(WireSessionTest, AnswersWhatWasAskedBeforeItEnds) {
  open();
  EXPECT_TRUE(initialize());
  EXPECT_TRUE(take(call(2)));
  session_->end();
  run_all();
  EXPECT_FALSE(running_.done()) << "a request is in progress";
  upstream_->may_answer.deliver(ok());
  run_all();
  EXPECT_EQ(answered(), "m2");
  EXPECT_TRUE(running_.done());
}

TEST_F(WireSessionTest, DoesNotWaitLongerThanItsGrace) {
  open();
  EXPECT_TRUE(initialize());
  EXPECT_TRUE(take(call(2)));
  session_->end();
  run_all();
  executor_.pass(seconds(6));
  run_all();
  EXPECT_TRUE(running_.done());
}

}  // namespace
}  // namespace patchbay::frontends
