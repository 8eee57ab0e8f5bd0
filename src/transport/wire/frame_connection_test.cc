// Tests of frames over real sockets: what waits for a peer that does not read, what overtakes it,
// and PINGs.
#include "transport/wire/frame_connection.h"

#include <gtest/gtest.h>

#include "testing/loopback.h"

namespace patchbay::transport {
namespace {

using namespace std::chrono_literals;
using testing::in_time;
using testing::LoopbackServer;
using testing::on_loop;
using testing::until;
using testing::Visitor;
using wire::FrameType;
using wire::Header;

constexpr std::size_t kLarge = 2'000'000;

// The frames in what a visitor has received, by type.
std::string types_in(std::string_view bytes) {
  wire::FrameDecoder decoder({.header = Header::seven});
  std::string types;
  for (;;) {
    auto frame = decoder.next(bytes);
    if (!frame || !*frame) return types;
    types += wire::name_of((*frame)->type).front();
    if ((*frame)->type == FrameType::pong) types.back() = 'o';
    bytes.remove_prefix((*frame)->size);
  }
}

// Takes everything to the end.
Task<void> drink(Visitor& visitor) { co_return co_await visitor.closed(); }

// What a peer has received, once it has seen the end of it.
struct Received {
  LoopbackServer::Script script() {
    return [this](Visitor& visitor) -> Task<void> {
      auto sent = co_await visitor.send(greeting);
      if (!sent) co_return sent;
      auto drunk = co_await drink(visitor);
      bytes = visitor.received;
      whole = true;
      co_return drunk;
    };
  }
  std::string greeting = {};  // Sent first.
  std::string bytes = {};
  bool whole = false;
};

struct Idle final : FrameConnection::Listener {
  Task<void> on_frame(FrameType type, std::string_view) override {
    seen += wire::name_of(type).front();
    co_return ok();
  }
  std::string seen;
};

TEST(Outbox, LetsUrgentFramesOvertake) {
  Received received;
  on_loop([&]() -> Task<void> {
    LoopbackServer peer(received.script());
    auto stream = co_await net::connect_stream(peer.url(), nullptr, in_time());
    if (!stream) co_return stream.error();
    net::Outbox outbox(**stream, 20 * kLarge);
    const std::string large =
        wire::encode(Header::seven, FrameType::data, std::string(kLarge, 'x'));
    for (int i = 0; i < 10; ++i) {
      auto put = outbox.put({large});
      if (!put) co_return put;
    }
    co_await next_turn();  // What the kernel buffers is on its way now.
    auto put = outbox.put_first({wire::encode(Header::seven, FrameType::ping, "")});
    if (!put) co_return put;
    auto drained = co_await outbox.drained(20s);
    if (!drained) co_return drained;
    (*stream)->end_sending();
    auto seen = co_await until([&] { return received.whole; });
    if (!seen) co_return seen;
    co_return co_await peer.stop();
  });
  const std::string types = types_in(received.bytes);
  EXPECT_EQ(types.size(), 11u);
  EXPECT_LT(types.find('P'), 9u) << types;
}

TEST(Outbox, AnswersGoBeyondTheBoundAndRoomIsAwaited) {
  on_loop([]() -> Task<void> {
    LoopbackServer peer([](Visitor& visitor) { return drink(visitor); });
    auto stream = co_await net::connect_stream(peer.url(), nullptr, in_time());
    if (!stream) co_return stream.error();
    {
      net::Outbox outbox(**stream, 1000);
      const std::string large(kLarge, 'x');
      EXPECT_FALSE(outbox.stalled(0s));  // Nothing is queued.
      EXPECT_TRUE(outbox.put({"small"}));
      EXPECT_FALSE(outbox.over_bound());
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(outbox.put_answer({large}));
      EXPECT_TRUE(outbox.over_bound());
      EXPECT_TRUE(outbox.stalled(0s));
      EXPECT_EQ(outbox.put({"unasked"}).error().code, Code::overloaded);
      auto room = co_await outbox.room(20s);
      EXPECT_TRUE(room);
      EXPECT_LE(outbox.size(), 1000u);
      auto drained = co_await outbox.drained(20s);
      EXPECT_TRUE(drained);
    }
    (*stream)->end_sending();
    co_return co_await peer.stop();
  });
}

TEST(Outbox, HasABound) {
  on_loop([]() -> Task<void> {
    LoopbackServer peer([](Visitor& visitor) { return drink(visitor); });
    auto stream = co_await net::connect_stream(peer.url(), nullptr, in_time());
    if (!stream) co_return stream.error();
    {
      net::Outbox outbox(**stream, 1000);
      const std::string large(2000, 'x');
      EXPECT_TRUE(outbox.put({"head", large}));  // One always fits.
      EXPECT_EQ(outbox.put({"head", "more"}).error().code, Code::overloaded);
      for (int i = 0; i < 64; ++i) EXPECT_TRUE(outbox.put_first({std::string(1024, 'u')}));
      EXPECT_EQ(outbox.put_first({"u"}).error().code, Code::overloaded);
      auto drained = co_await outbox.drained(20s);
      EXPECT_TRUE(outbox.empty());
      EXPECT_TRUE(outbox.put({"head", "more"}));
      drained = co_await outbox.drained(20s);
    }
    (*stream)->end_sending();
    co_return co_await peer.stop();
  });
}

// Serves `script` to a connection of ours; yields how its reading ended. `over` is delivered when
// the peer is done.
Result<void> reading(const FrameSettings& settings, LoopbackServer::Script script, Idle& listener,
                     const bool* over = nullptr) {
  Result<void> ended;
  on_loop([&]() -> Task<void> {
    LoopbackServer peer(std::move(script));
    auto stream = co_await net::connect_stream(peer.url(), nullptr, in_time());
    if (!stream) co_return stream.error();
    {
      FrameConnection connection(**stream, settings);
      ended = co_await connection.read(listener);
      auto drained = co_await connection.outbox().drained(20s);
    }
    stream->reset();
    auto seen = co_await until([&] { return !over || *over; });
    if (!seen) co_return seen;
    co_return co_await peer.stop();
  });
  return ended;
}

TEST(FrameConnection, AnswersPings) {
  Idle listener;
  Received received;
  received.greeting = wire::encode(Header::seven, FrameType::ping, "abc") +
                      wire::encode(Header::seven, FrameType::data, "{}") +
                      wire::encode(Header::seven, FrameType::close, "bye");
  EXPECT_TRUE(reading({}, received.script(), listener, &received.whole));
  EXPECT_EQ(listener.seen, "D");
  EXPECT_EQ(received.bytes, wire::encode(Header::seven, FrameType::pong, "abc"));
}

TEST(FrameConnection, AsksASilentPeerAndLeavesIt) {
  Idle listener;
  Received received;
  auto ended = reading({.ping = 50ms, .pong = 100ms}, received.script(), listener, &received.whole);
  EXPECT_EQ(ended.error().code, Code::unavailable);
  EXPECT_EQ(types_in(received.bytes), "P");
}

TEST(FrameConnection, DoesNotWaitForeverForAFrame) {
  Idle listener;
  const auto script = [](Visitor& visitor) -> Task<void> {
    auto sent = co_await visitor.send("MC\x01");
    co_return co_await drink(visitor);
  };
  EXPECT_EQ(reading({.frame_time = 50ms}, script, listener).error().code, Code::timeout);
}

TEST(FrameConnection, DistinguishesAnOrderlyEndFromAnother) {
  Idle listener;
  const auto whole = [](Visitor& visitor) {
    return visitor.send(wire::encode(Header::seven, FrameType::data, "{}"));
  };
  EXPECT_TRUE(reading({}, whole, listener));
  const auto half = [](Visitor& visitor) { return visitor.send("MC\x01"); };
  EXPECT_EQ(reading({}, half, listener).error().code, Code::unavailable);
}

}  // namespace
}  // namespace patchbay::transport
