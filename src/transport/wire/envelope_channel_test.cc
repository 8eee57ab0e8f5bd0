#include "transport/wire/envelope_channel.h"

#include <gtest/gtest.h>

#include <vector>

#include "json/read.h"

namespace patchbay::transport {
namespace {

// The gateway's side: records what is sent, delivers what the test provides.
class MemoryChannel final : public Channel {
 public:
  void start(Listener& listener) override { listener_ = &listener; }
  using Channel::send;
  Result<void> send(std::string message, const Sending&) override {
    sent.push_back(std::move(message));
    return ok();
  }
  void close_sending() override {}
  void close() override {}

  void receive(std::string_view text) { listener_->on_message(text, 0); }
  void end(const std::string& why) { listener_->on_closed(why); }

  std::vector<std::string> sent;

 private:
  Listener* listener_ = nullptr;
};

class EnvelopeChannelTest : public ::testing::Test, Channel::Listener {
 protected:
  EnvelopeChannelTest() { channel_.start(*this); }

  void on_message(std::string_view message, std::uint64_t /*cause*/) override {
    received_.emplace_back(message);
  }
  void on_closed(const std::string& why) override { end_ = why; }

  void send(std::string message) { ASSERT_TRUE(channel_.send(std::move(message))); }

  std::string member_of_last(const char* name) const {
    return json::string_member(texts_.sent.back(), name).value_or("");
  }

  // An envelope of the gateway with `member`, raw JSON, as its content.
  void receive(const std::string& id, const std::string& member, const std::string& about = "") {
    texts_.receive(R"({"id":")" + id + R"(","timestamp":"2024-01-15T10:30:45Z",)" +
                   R"("source":"gateway",)" +
                   (about.empty() ? "" : R"("correlation_id":")" + about + R"(",)") + member + "}");
  }

  void agree_on_chunks() {
    send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
    receive("a", R"("mcp_payload":{"jsonrpc":"2.0","id":0,"result":{"capabilities":)"
                 R"({"experimental":{"wire":{"chunking":true}}}}})");
    received_.clear();
  }

  MemoryChannel texts_;
  EnvelopeChannel channel_{texts_, {.token = "secret", .most = 100, .chunks = {.piece = 60}}};
  std::vector<std::string> received_;
  std::string end_;
};

constexpr const char* kList = R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})";

TEST_F(EnvelopeChannelTest, PutsMessagesIntoEnvelopes) {
  send(kList);
  ASSERT_EQ(texts_.sent.size(), 1U);
  EXPECT_EQ(json::member(texts_.sent[0], "mcp_payload"), kList);
  EXPECT_EQ(member_of_last("auth_token"), "Bearer secret");
  EXPECT_EQ(member_of_last("target_namespace"), "system");
  channel_.set_token("next");
  send(kList);
  EXPECT_EQ(member_of_last("auth_token"), "Bearer next");
}

TEST_F(EnvelopeChannelTest, TakesMessagesOutOfEnvelopes) {
  send(kList);
  receive("a", R"("mcp_payload":{"jsonrpc":"2.0","id":7,"result":{}})");
  receive("b", R"("mcp_payload":{"jsonrpc":"2.0","method":"notifications/message"})");
  texts_.receive("no envelope");
  EXPECT_EQ(received_,
            (std::vector<std::string>{R"({"jsonrpc":"2.0","id":7,"result":{}})",
                                      R"({"jsonrpc":"2.0","method":"notifications/message"})"}));
}

TEST_F(EnvelopeChannelTest, FindsTheRequestOfAResponseByTheEnvelope) {
  send(kList);
  receive(member_of_last("id") + "-resp",
          R"("mcp_payload":{"jsonrpc":"2.0","id":null,"result":{}})");
  ASSERT_EQ(received_.size(), 1U);
  EXPECT_EQ(json::member(received_[0], "id"), "7");
}

TEST_F(EnvelopeChannelTest, AFaultAnswersItsRequestOnce) {
  send(kList);
  const std::string fault = R"("error":{"code":"RATE_LIMIT_EXCEEDED","message":"slow down"})";
  receive("a", fault, member_of_last("id"));
  receive("b", fault, member_of_last("id"));
  ASSERT_EQ(received_.size(), 1U);
  EXPECT_EQ(json::member(received_[0], "id"), "7");
  EXPECT_TRUE(json::member(received_[0], "error"));
}

TEST_F(EnvelopeChannelTest, ACancelledRequestGetsNoFault) {
  send(kList);
  const std::string envelope = member_of_last("id");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  receive("a", R"("error":{"code":"TIMEOUT","message":"too late"})", envelope);
  EXPECT_TRUE(received_.empty());
}

TEST_F(EnvelopeChannelTest, TheLastFaultIsTheReasonOfTheEnd) {
  receive("a", R"("error":{"code":"UNAUTHORIZED","message":"who are you"})");
  texts_.end("closed");
  EXPECT_EQ(end_, "closed (who are you)");
}

TEST_F(EnvelopeChannelTest, SendsPiecesOnlyToAGatewayThatAcceptsThem) {
  const std::string large = R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":")" +
                            std::string(200, 'x') + R"("}})";
  send(large);
  EXPECT_EQ(texts_.sent.size(), 1U);
  agree_on_chunks();
  EXPECT_NE(texts_.sent.back().find(R"("wire":{"chunking":true})"), std::string::npos);
  texts_.sent.clear();
  send(large);
  ASSERT_GT(texts_.sent.size(), 1U);
  // What one side cuts, the other joins.
  for (const auto& piece : texts_.sent) texts_.receive(piece);
  ASSERT_EQ(received_.size(), 1U);
  EXPECT_EQ(received_[0], large);
}

}  // namespace
}  // namespace patchbay::transport
