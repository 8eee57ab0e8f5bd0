// Tests of WebSockets over real sockets: ours on both sides, and ours against bytes.
#include "net/websocket/socket.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "net/websocket/client.h"
#include "net/websocket/handshake.h"
#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using std::chrono::milliseconds;
using testing::in_time;
using testing::LoopbackServer;
using testing::on_loop;
using testing::until;
using testing::Visitor;

// Records what it receives.
struct Subscription : WebSocket::Receiver {
  virtual ~Subscription() = default;

  std::deque<std::string> texts;
  std::string end;

  void on_text(std::string& text) override { texts.push_back(std::move(text)); }
  void on_end(WsClose code, const std::string& why) override {
    end = fmt::format("{} {}", static_cast<int>(code), why);
  }
};

// Answers every message with the same.
struct Echo : Subscription {
  WebSocket* socket = nullptr;
  void on_text(std::string& text) override {
    auto sent = socket->send(text);
    EXPECT_TRUE(sent);
    texts.push_back(std::move(text));
  }
};

Task<void> agree(Visitor& visitor, std::string more = "") {
  auto request = co_await visitor.request();
  if (!request) co_return request.error();
  const auto at = request->find("Sec-WebSocket-Key: ") + 19;
  const std::string accept = ws_accept(request->substr(at, request->find('\r', at) - at));
  co_return co_await visitor.send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: " +
      accept + "\r\n\r\n" + more);
}

// A server that performs the handshake and runs a WebSocket until that has ended.
LoopbackServer::Script serving(Subscription& subscription, const WebSocketSettings& settings,
                               std::function<void(WebSocket&)> begin = {}) {
  return [&subscription, settings, begin](Visitor& visitor) -> Task<void> {
    auto agreed = co_await agree(visitor);
    if (!agreed) co_return agreed;
    InputBuffer input;
    WebSocket socket(visitor.stream, input, WsSide::server, settings);
    if (begin) begin(socket);
    socket.start(subscription);
    co_return co_await socket.over();
  };
}

// Runs `talk` with a client of a server that follows `script`.
template <class Talk>
void with_socket(LoopbackServer::Script script, Talk talk, const WebSocketSettings& settings = {}) {
  on_loop([&]() -> Task<void> {
    LoopbackServer server(std::move(script));
    WebSocketTarget target{server.url(), nullptr, "", false, settings};
    auto client = co_await ClientWebSocket::connect(target, in_time());
    if (!client) co_return client.error();
    auto done = co_await talk((*client)->socket());
    EXPECT_TRUE(done) << done.error().message;
    client->reset();
    co_return co_await server.stop();
  });
}

TEST(WebSocket, CarriesMessagesInBothDirectionsInOrder) {
  Echo echo;
  const std::string large(3 << 20, 'x');
  WebSocketSettings roomy;
  roomy.outbox = 8 << 20;
  with_socket(
      serving(echo, roomy, [&](WebSocket& socket) { echo.socket = &socket; }),
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        for (const std::string& text : {std::string("one"), std::string(), large}) {
          auto sent = socket.send(text);
          if (!sent) co_return sent;
        }
        auto received = co_await until([&] { return subscription.texts.size() == 3; });
        if (!received) co_return received;
        EXPECT_EQ(subscription.texts[0], "one");
        EXPECT_EQ(subscription.texts[1], "");
        EXPECT_EQ(subscription.texts[2], large);
        socket.close(WsClose::normal, "done");
        co_return co_await socket.over();
      },
      roomy);
  EXPECT_EQ(echo.end, "1000 done");
}

TEST(WebSocket, ReportsTheEndOnceUnlessWeClosed) {
  Subscription server_subscription;
  WebSocket* server_socket = nullptr;
  with_socket(serving(server_subscription, {}, [&](WebSocket& socket) { server_socket = &socket; }),
              [&](WebSocket& socket) -> Task<void> {
                Subscription subscription;
                socket.start(subscription);
                auto begun = co_await until([&] { return server_socket != nullptr; });
                if (!begun) co_return begun;
                server_socket->close(WsClose::going_away, "stopping");
                auto closed = co_await socket.over();
                EXPECT_EQ(subscription.end, "1001 stopping");
                EXPECT_FALSE(socket.send("late"));
                co_return closed;
              });
  EXPECT_EQ(server_subscription.end, "");
}

TEST(WebSocket, IsOverWhenThePeerVanishes) {
  with_socket([](Visitor& visitor) -> Task<void> { return agree(visitor); },
              [&](WebSocket& socket) -> Task<void> {
                Subscription subscription;
                socket.start(subscription);
                auto over = co_await socket.over();
                EXPECT_EQ(subscription.end, "1006 the peer has disconnected");
                co_return over;
              });
}

TEST(WebSocket, TakesWhatCameWithTheHandshake) {
  with_socket(
      [](Visitor& visitor) -> Task<void> {
        auto agreed = co_await agree(visitor, "\x81\x02hi");
        if (!agreed) co_return agreed;
        co_return co_await visitor.closed();
      },
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        auto received = co_await until([&] { return !subscription.texts.empty(); });
        EXPECT_EQ(subscription.texts.front(), "hi");
        co_return received;
      });
}

TEST(WebSocket, FailsAPeerThatBreaksTheRulesWithACode) {
  std::string received;
  with_socket(
      [&](Visitor& visitor) -> Task<void> {
        auto agreed = co_await agree(visitor, "\x82\x02hi");
        if (!agreed) co_return agreed;
        auto closed = co_await visitor.closed();
        received = visitor.received;
        co_return closed;
      },
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        auto over = co_await socket.over();
        EXPECT_TRUE(subscription.end.starts_with("1003 "));
        co_return over;
      });
  ASSERT_GE(received.size(), 8U);
  EXPECT_EQ(received[0], '\x88');
  ws_mask(received.data() + 6, 2, {received[2], received[3], received[4], received[5]}, 0);
  EXPECT_EQ(received.substr(6, 2), "\x03\xEB");
}

TEST(WebSocket, PingsAndIsAnswered) {
  Subscription server_subscription;
  WebSocketSettings pinging;
  pinging.ping = milliseconds(40);
  pinging.pong = milliseconds(80);
  with_socket(
      serving(server_subscription, {}),
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        // Several times the timeout of a peer that does not answer.
        auto slept = co_await sleep_until(here().now() + milliseconds(500));
        EXPECT_TRUE(socket.open());
        co_return slept;
      },
      pinging);
}

TEST(WebSocket, DisconnectsAPeerThatDoesNotAnswerPings) {
  WebSocketSettings pinging;
  pinging.ping = milliseconds(40);
  pinging.pong = milliseconds(80);
  pinging.close_time = milliseconds(40);
  with_socket(
      [](Visitor& visitor) -> Task<void> {
        auto agreed = co_await agree(visitor);
        if (!agreed) co_return agreed;
        co_return co_await visitor.closed();
      },
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        auto over = co_await socket.over();
        EXPECT_EQ(subscription.end, "1011 a ping was not answered in time");
        co_return over;
      },
      pinging);
}

TEST(WebSocket, AbortsAMessageThatDoesNotEnd) {
  WebSocketSettings hasty;
  hasty.message_time = milliseconds(40);
  hasty.close_time = milliseconds(40);
  with_socket(
      [](Visitor& visitor) -> Task<void> {
        auto agreed = co_await agree(visitor, std::string("\x01\x02hi", 4));
        if (!agreed) co_return agreed;
        co_return co_await visitor.closed();
      },
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        auto over = co_await socket.over();
        EXPECT_EQ(subscription.end, "1008 a message took too long to arrive");
        co_return over;
      },
      hasty);
}

// Performs the handshake and reads nothing more until `awake`.
LoopbackServer::Script sleeping(const bool& awake, std::string& received) {
  return [&](Visitor& visitor) -> Task<void> {
    auto agreed = co_await agree(visitor);
    if (!agreed) co_return agreed;
    auto woken = co_await until([&] { return awake; });
    auto closed = co_await visitor.closed();
    received = std::move(visitor.received);
    co_return closed;
  };
}

TEST(WebSocket, RefusesMoreThanAPeerThatDoesNotReadMayCost) {
  WebSocketSettings small;
  small.outbox = 256 * 1024;
  bool awake = false;
  std::string received;
  std::size_t accepted = 0;
  with_socket(
      sleeping(awake, received),
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        const std::string message(100'000, 'x');
        Result<void> sent = ok();
        for (; accepted < 1000; ++accepted) {
          sent = socket.send(message);
          if (!sent) break;
          co_await next_turn();
        }
        EXPECT_EQ(sent.error().code, Code::overloaded);
        EXPECT_TRUE(socket.congested());
        awake = true;
        auto caught_up = co_await until([&] { return !socket.congested(); });
        if (!caught_up) co_return caught_up;
        socket.close(WsClose::normal, "");
        co_return co_await socket.over();
      },
      small);
  // Everything that was accepted has arrived.
  EXPECT_GE(received.size(), accepted * 100'000);
}

TEST(WebSocket, LetsPongsPassMessages) {
  constexpr std::size_t kSize = 32 << 20;  // More than the kernel buffers.
  WebSocketSettings roomy;
  roomy.outbox = 4 * kSize;
  bool sent_all = false;
  std::string received;
  with_socket(
      [&](Visitor& visitor) -> Task<void> {
        auto agreed = co_await agree(visitor);
        if (!agreed) co_return agreed;
        auto queued = co_await until([&] { return sent_all; });
        auto asked = co_await visitor.send(std::string("\x89\x05Hello", 7));
        while (asked && visitor.received.size() < kSize) asked = co_await visitor.read();
        received = std::move(visitor.received);
        co_return asked;
      },
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        const std::string message(kSize, 'x');
        auto sent = socket.send(message);
        if (!sent) co_return sent;
        // The kernel buffers some; the rest waits here.
        for (int i = 0; i < 100; ++i) co_await next_turn();
        sent_all = true;
        co_return co_await socket.over();
      },
      roomy);
  // Every byte of the message is masked anew in each fragment, so the pong is found by its
  // position: after a whole number of fragments, each with a head of 14 bytes.
  constexpr std::size_t kStep = 64 * 1024 + 14;
  std::size_t pong = 0;
  while (pong < received.size() && received[pong] != '\x8A') pong += kStep;
  ASSERT_LT(pong, received.size());
  EXPECT_EQ(received[pong + 1], '\x85');
}

TEST(WebSocket, DropsAPeerThatDoesNotReadAtAll) {
  WebSocketSettings hasty;
  hasty.outbox = 64 << 20;
  hasty.write_time = milliseconds(40);
  bool awake = false;
  std::string received;
  with_socket(
      sleeping(awake, received),
      [&](WebSocket& socket) -> Task<void> {
        Subscription subscription;
        socket.start(subscription);
        const std::string message(32 << 20, 'x');
        auto sent = socket.send(message);
        if (!sent) co_return sent;
        auto over = co_await socket.over();
        EXPECT_EQ(subscription.end, "1006 the peer does not read");
        awake = true;
        co_return over;
      },
      hasty);
}

TEST(WebSocketClient, ReportsWhyThereIsNoSocket) {
  const auto refused_by = [](std::string answer) {
    Error error;
    on_loop([&]() -> Task<void> {
      LoopbackServer server([&](Visitor& visitor) -> Task<void> {
        auto request = co_await visitor.request();
        auto sent = co_await visitor.send(answer);
        co_return sent;
      });
      WebSocketTarget target{server.url(), nullptr, "Authorization: Bearer x\r\n", true, {}};
      auto client = co_await ClientWebSocket::connect(target, in_time());
      if (!client) error = client.error();
      co_return co_await server.stop();
    });
    return error;
  };
  EXPECT_EQ(refused_by("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n").code,
            Code::unauthenticated);
  EXPECT_EQ(refused_by("SSH-2.0-OpenSSH\r\n").code, Code::upstream_failed);
  EXPECT_EQ(refused_by("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").code, Code::upstream_failed);
  EXPECT_EQ(refused_by("").code, Code::unavailable);
}

}  // namespace
}  // namespace patchbay::net
