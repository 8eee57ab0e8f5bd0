#include "upstreams/sandbox/agent_link.h"

#include <gtest/gtest.h>

#include "async/scope.h"
#include "json/read.h"
#include "testing/manual_executor.h"

namespace patchbay::upstreams {
namespace {

// The agent's side: records what is sent, delivers what the test provides.
class HandChannel final : public transport::Channel {
 public:
  void start(Listener& listener) override { listener_ = &listener; }
  using Channel::send;
  Result<void> send(std::string message, const transport::Sending&) override {
    sent.push_back(std::move(message));
    return ok();
  }
  void close_sending() override {}
  void close() override { listener_ = nullptr; }

  void receive(std::string_view message) { listener_->on_message(message, 0); }
  void end(const std::string& why) { listener_->on_closed(why); }

  std::vector<std::string> sent;

 private:
  Listener* listener_ = nullptr;
};

class AgentLinkTest : public ::testing::Test {
 protected:
  // Begins a request; its outcome is in `outcome` once there is one.
  void ask(std::string method, Deadline deadline = kNever, AgentLink::Output output = {}) {
    scope_.spawn(keep(std::move(method), deadline, std::move(output)));
    executor_.run();
  }

  Task<void> keep(std::string method, Deadline deadline, AgentLink::Output output) {
    outcome_ = co_await link_.ask(std::move(method), "{}", deadline, std::move(output));
    done_ = true;
    co_return ok();
  }

  void receive(std::string_view message) {
    channel_.receive(message);
    executor_.run();
  }

  testing::ManualExecutor executor_;
  HandChannel channel_;
  AgentLink link_{channel_};
  Scope scope_;
  Result<std::string> outcome_;
  bool done_ = false;
};

TEST_F(AgentLinkTest, AsksAndIsAnswered) {
  ask("ping");
  ASSERT_EQ(channel_.sent.size(), 1U);
  EXPECT_EQ(channel_.sent[0], R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{}})");
  receive(R"({"jsonrpc":"2.0","id":1,"result":{"pong":true}})");
  ASSERT_TRUE(done_);
  EXPECT_EQ(*outcome_, R"({"pong":true})");
}

TEST_F(AgentLinkTest, UnrelatedMessagesAreIgnored) {
  ask("exec");
  for (const auto* const rubbish :
       {"", "rubbish", "{", "[]", "7", R"({"id":2,"result":{}})", R"({"id":"1","result":{}})",
        R"({"id":1.5,"result":{}})", R"({"id":-1,"result":{}})", R"({"method":"output"})",
        R"({"method":"output","params":{"id":1,"stream":"stdin","data":"x"}})"}) {
    receive(rubbish);
    EXPECT_FALSE(done_) << rubbish;
  }
  receive(R"({"id":1,"result":[]})");
  ASSERT_TRUE(done_);
  EXPECT_EQ(outcome_.error().code, Code::upstream_failed);
  receive(R"({"id":1,"result":{}})");  // A second time: nothing waits.
}

TEST_F(AgentLinkTest, RefusalsKeepTheirMeaning) {
  ask("read_file");
  receive(R"({"id":1,"error":{"code":-32602,"message":"invalid params: path"}})");
  EXPECT_EQ(outcome_.error().code, Code::invalid_params);
  EXPECT_EQ(outcome_.error().message, "invalid params: path");
}

TEST_F(AgentLinkTest, OutputComesWhileItRuns) {
  std::string received;
  ask("exec", kNever, [&](std::string_view stream, std::string_view text) {
    received += std::string(stream) + "=" + std::string(text) + ";";
  });
  receive(R"({"method":"output","params":{"id":1,"stream":"stdout","data":"a\n"}})");
  receive(R"({"method":"output","params":{"id":9,"stream":"stdout","data":"of another"}})");
  receive(R"({"method":"output","params":{"id":1,"stream":"stderr","data":"b"}})");
  EXPECT_EQ(received, "stdout=a\n;stderr=b;");
  receive(R"({"id":1,"result":{}})");
  receive(R"({"method":"output","params":{"id":1,"stream":"stdout","data":"late"}})");
  EXPECT_EQ(received, "stdout=a\n;stderr=b;");
}

TEST_F(AgentLinkTest, WhatIsNotWaitedForIsCancelled) {
  scope_.spawn([](AgentLink& link) -> Task<void> {
    auto greeted = co_await link.greet("", kNever);
    co_return greeted;
  }(link_));
  receive(R"({"id":1,"result":{"concurrent":true}})");
  ASSERT_TRUE(link_.extended());
  ask("exec", executor_.now() + std::chrono::seconds(1));
  executor_.pass(std::chrono::seconds(2));
  ASSERT_TRUE(done_);
  EXPECT_EQ(outcome_.error().code, Code::timeout);
  EXPECT_EQ(channel_.sent.back(),
            R"({"jsonrpc":"2.0","id":3,"method":"cancel","params":{"id":2}})");
}

TEST_F(AgentLinkTest, ATokenIsPresentedFirst) {
  scope_.spawn([](AgentLink& link) -> Task<void> {
    auto greeted = co_await link.greet("a \"token\"", kNever);
    co_return greeted;
  }(link_));
  ASSERT_EQ(channel_.sent.size(), 1U);
  EXPECT_TRUE(channel_.sent[0].contains(R"("authenticate","params":{"token":"a \"token\""})"));
  receive(R"({"id":1,"result":{"success":true}})");
  EXPECT_TRUE(channel_.sent[1].contains("capabilities"));
  receive(R"({"id":2,"result":{"concurrent":true}})");
  EXPECT_TRUE(link_.extended());
}

TEST_F(AgentLinkTest, AnAgentOfTheFirstSixMethodsWillDo) {
  bool greeted = false;
  scope_.spawn([](AgentLink& link, bool& done) -> Task<void> {
    auto known = co_await link.greet("", kNever);
    done = static_cast<bool>(known);
    co_return ok();
  }(link_, greeted));
  receive(R"({"id":1,"error":{"code":-32601,"message":"method not found: capabilities"}})");
  EXPECT_TRUE(channel_.sent.back().contains("ping"));
  receive(R"({"id":2,"result":{"pong":true}})");
  EXPECT_TRUE(greeted);
  EXPECT_FALSE(link_.extended());
}

TEST_F(AgentLinkTest, ItsEndEndsAllThatWaits) {
  ask("exec");
  channel_.end("it went");
  executor_.run();
  ASSERT_TRUE(done_);
  EXPECT_EQ(outcome_.error().code, Code::unavailable);
  done_ = false;
  ask("ping");
  EXPECT_TRUE(done_);
  EXPECT_EQ(outcome_.error().message, "the sandbox has ended: it went");
}

TEST_F(AgentLinkTest, ClosingItEndsAllThatWaits) {
  ask("exec");
  link_.close("it was destroyed");
  executor_.run();
  ASSERT_TRUE(done_);
  EXPECT_EQ(outcome_.error().message, "the sandbox has ended: it was destroyed");
}

}  // namespace
}  // namespace patchbay::upstreams
