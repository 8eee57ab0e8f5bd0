// Tests of the relay between two pairs of local sockets: a client, the relay, and a server.
#include "net/io/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>

#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::in_time;
using testing::on_loop;

struct Bench {
  Bench() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    client.emplace(Fd(ends[0]));
    near.emplace(Fd(ends[1]));
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    far.emplace(Fd(ends[0]));
    server.emplace(Fd(ends[1]));
  }

  void start(std::chrono::nanoseconds idle, std::chrono::nanoseconds half_open = seconds(30)) {
    running.spawn([](Bench& all, RelayTimeouts timeout) -> Task<void> {
      all.outcome = co_await relay(*all.near, *all.far, timeout, all.moved);
      co_return ok();
    }(*this, {idle, half_open}));
  }

  static Task<std::string> read(Source& from) {
    std::string text(64, '\0');
    auto got = co_await from.read_some(text, in_time());
    if (!got) co_return got.error();
    text.resize(*got);
    co_return text;
  }

  std::optional<Source> client, near, far, server;
  Relayed moved;
  Result<void> outcome = ok();
  Scope running;
};

TEST(Relay, BothDirectionsAndEachToItsOwnEnd) {
  on_loop([]() -> Task<void> {
    Bench all;
    all.start(seconds(20));
    auto sent = co_await all.client->write_all("question", seconds(20));
    ::shutdown(all.client->fd(), SHUT_WR);
    auto received = co_await Bench::read(*all.server);
    EXPECT_EQ(*received, "question");
    auto end = co_await Bench::read(*all.server);
    EXPECT_TRUE(!end && all.server->ended());
    // One side has ended, the other still answers.
    sent = co_await all.server->write_all("an answer", seconds(20));
    received = co_await Bench::read(*all.client);
    EXPECT_EQ(*received, "an answer");
    all.server.reset();
    auto done = co_await all.running.drain(in_time());
    EXPECT_TRUE(done);
    EXPECT_TRUE(all.outcome);
    EXPECT_EQ(all.moved.there, 8u);
    EXPECT_EQ(all.moved.back, 9u);
    co_return done;
  });
}

TEST(Relay, EndsAtOnceWithAClientThatHasGone) {
  on_loop([]() -> Task<void> {
    Bench all;
    all.start(std::chrono::hours(1));
    all.client.reset();
    // The server sends nothing and does not end.
    auto done = co_await all.running.drain(in_time());
    EXPECT_FALSE(all.outcome);
    co_return done;
  });
}

TEST(Relay, EndsWhenNothingMoves) {
  on_loop([]() -> Task<void> {
    Bench all;
    all.start(milliseconds(20));
    auto done = co_await all.running.drain(in_time());
    EXPECT_EQ(all.outcome.error().code, Code::timeout);
    co_return done;
  });
}

TEST(Relay, OneThatHasEndedDoesNotHoldTheOther) {
  on_loop([]() -> Task<void> {
    // Whichever of the two is less.
    const std::chrono::hours long_time(1);
    for (const auto& [idle, half_open] :
         {RelayTimeouts{milliseconds(20), long_time}, RelayTimeouts{long_time, milliseconds(20)}}) {
      Bench all;
      all.start(idle, half_open);
      ::shutdown(all.client->fd(), SHUT_WR);
      auto done = co_await all.running.drain(in_time());
      if (!done) co_return done;
      EXPECT_EQ(all.outcome.error().code, Code::timeout);
    }
    co_return ok();
  });
}

TEST(Relay, EndsWhenItIsCancelled) {
  on_loop([]() -> Task<void> {
    Bench all;
    all.start(std::chrono::hours(1));
    all.running.cancel();
    auto done = co_await all.running.drain(in_time());
    EXPECT_EQ(all.outcome.error().code, Code::cancelled);
    co_return done;
  });
}

}  // namespace
}  // namespace patchbay::net
