// Tests of the pool over real sockets, against a server that follows a script.
#include "net/http/client/pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/http_fixture.h"

namespace patchbay::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::always;
using testing::fetch;
using testing::get;
using testing::in_time;
using testing::kHello;
using testing::kMost;
using testing::LoopbackServer;
using testing::on_loop;
using testing::until;
using testing::Visitor;
using testing::with_server;

TEST(HttpPool, SendsARequestAndReturnsViewsOfTheResponse) {
  std::string seen;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    seen = *request;
    auto sent = co_await visitor.send(std::string(kHello));
    co_return co_await visitor.closed();
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
    const HttpCall call{"POST", "/mcp?x=1", "Accept: a\r\n", "{}"};
    auto response = co_await pool.request(call, in_time());
    if (!response) co_return response.error();
    EXPECT_EQ(seen, fmt::format("POST /mcp?x=1 HTTP/1.1\r\nHost: {}\r\nAccept: a\r\n"
                                "Content-Length: 2\r\n\r\n{{}}",
                                server.url().authority()));
    EXPECT_EQ((*response)->status(), 200);
    EXPECT_EQ((*response)->field("x-a"), "b");
    EXPECT_EQ((*response)->field("x-b"), "");
    EXPECT_EQ((*response)->body_at_hand(), "hello");
    auto piece = co_await (*response)->read(in_time());
    EXPECT_EQ(*piece, "hello");
    auto nothing = co_await (*response)->read(in_time());
    EXPECT_EQ(*nothing, "");
    EXPECT_EQ((*response)->field("x-a"), "b");
    co_return ok();
  });
}

TEST(HttpPool, SendsALengthOnlyWhereABodyIsUsual) {
  std::vector<std::string> seen;
  auto script = [&](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request) co_return ok();
      seen.push_back(*request);
      auto sent = co_await visitor.send(std::string(kHello));
    }
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer&) -> Task<void> {
    for (const auto* method : {"GET", "DELETE", "POST"}) {
      const HttpCall call{method, "/", "", ""};
      auto got = co_await fetch(pool, call, in_time());
      EXPECT_EQ(*got, "200 hello");
    }
    co_return ok();
  });
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].find("Content-Length"), std::string::npos);
  EXPECT_EQ(seen[1].find("Content-Length"), std::string::npos);
  EXPECT_NE(seen[2].find("Content-Length: 0"), std::string::npos);
}

TEST(HttpPool, UsesOneConnectionForTenThousandRequests) {
  with_server(always(std::string(kHello)),
              [](HttpPool& pool, LoopbackServer& server) -> Task<void> {
                for (int i = 0; i < 10'000; ++i) {
                  auto got = co_await get(pool);
                  if (*got != "200 hello") co_return Error{Code::internal, *got};
                }
                EXPECT_EQ(server.accepted(), 1);
                EXPECT_EQ(pool.open(), 1);
                co_return ok();
              });
}

TEST(HttpPool, SendsLargeBodies) {
  std::string seen;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    if (request) seen = *request;
    auto sent = co_await visitor.send(std::string(kHello));
    co_return co_await visitor.closed();
  };
  const std::string large(20'000'000, 'x');
  with_server(script, [&](HttpPool& pool, LoopbackServer&) -> Task<void> {
    const HttpCall call{"POST", "/", "", large};
    auto got = co_await fetch(pool, call, in_time());
    EXPECT_EQ(*got, "200 hello");
    EXPECT_EQ(pool.open(), 1);
    co_return ok();
  });
  EXPECT_TRUE(seen.ends_with("\r\n\r\n" + large));
}

TEST(HttpPool, TakesAnAnswerThatComesBeforeTheRequestIsSent) {
  auto script = [](Visitor& visitor) -> Task<void> {
    auto some = co_await visitor.read();
    auto sent = co_await visitor.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    auto never = co_await sleep_until(kNever);
    co_return never;
  };
  const std::string large(20'000'000, 'x');
  with_server(script, [&](HttpPool& pool, LoopbackServer&) -> Task<void> {
    const HttpCall call{"POST", "/", "", large};
    auto got = co_await fetch(pool, call, in_time());
    EXPECT_EQ(*got, "413 no");
    EXPECT_EQ(pool.open(), 0);
    co_return ok();
  });
}

TEST(HttpPool, DoesNotReuseAConnectionWithUnexpectedBytes) {
  for (const auto& answer :
       {std::string(kHello) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"),
        std::string(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nx")}) {
    with_server(always(answer), [](HttpPool& pool, LoopbackServer& server) -> Task<void> {
      for (int i = 1; i <= 3; ++i) {
        auto got = co_await get(pool);
        EXPECT_EQ(*got, "200 hello");
        EXPECT_EQ(server.accepted(), i);
      }
      EXPECT_EQ(pool.open(), 0);
      co_return ok();
    });
  }
}

TEST(HttpPool, DropsAnIdleConnectionThatTheServerTouches) {
  for (const bool speaks : {false, true}) {
    auto script = [&](Visitor& visitor) -> Task<void> {
      auto request = co_await visitor.request();
      auto sent = co_await visitor.send(std::string(kHello));
      co_await next_turn();
      if (!speaks) co_return ok();
      sent = co_await visitor.send("HTTP/1.1 408 Request Timeout\r\n\r\n");
      co_return co_await visitor.closed();
    };
    with_server(script, [](HttpPool& pool, LoopbackServer& server) -> Task<void> {
      auto got = co_await get(pool);
      EXPECT_EQ(*got, "200 hello");
      auto gone = co_await until([&] { return pool.open() == 0; });
      if (!gone) co_return gone;
      got = co_await get(pool);
      EXPECT_EQ(*got, "200 hello");
      EXPECT_EQ(server.accepted(), 2);
      co_return ok();
    });
  }
}

TEST(HttpPool, ClosesWhatIsIdleForTooLong) {
  HttpPoolSettings settings;
  settings.idle = milliseconds(1);
  with_server(
      always(std::string(kHello)),
      [](HttpPool& pool, LoopbackServer&) -> Task<void> {
        auto got = co_await get(pool);
        EXPECT_EQ(*got, "200 hello");
        EXPECT_EQ(pool.open(), 1);
        co_return co_await until([&] { return pool.open() == 0; });
      },
      settings);
}

TEST(HttpPool, HeedsHowLongTheServerKeepsConnections) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=";
  with_server(always(head + "1\r\n\r\n"), [](HttpPool& pool, LoopbackServer&) -> Task<void> {
    auto got = co_await get(pool);
    EXPECT_EQ(*got, "200 ");
    EXPECT_EQ(pool.open(), 0);
    co_return ok();
  });
  with_server(always(head + "60, max=5\r\n\r\n"),
              [](HttpPool& pool, LoopbackServer&) -> Task<void> {
                auto got = co_await get(pool);
                EXPECT_EQ(pool.open(), 1);
                co_return ok();
              });
}

TEST(HttpPool, ReportsAReusedConnectionThatClosesUnansweredAndDoesNotRetry) {
  int requests = 0;
  auto script = [&](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request || ++requests == 2) co_return ok();
      auto sent = co_await visitor.send(std::string(kHello));
    }
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
    auto got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    const HttpCall call{"GET", "/", "", ""};
    auto died = co_await pool.request(call, in_time());
    EXPECT_FALSE(died);
    if (!died) EXPECT_TRUE(died_unanswered(died.error())) << died.error().message;
    EXPECT_EQ(requests, 2);
    EXPECT_EQ(server.accepted(), 1);
    EXPECT_EQ(pool.open(), 0);
    got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    co_return ok();
  });
}

TEST(HttpPool, SendsOverAnotherConnectionIfNothingHasLeft) {
  Visitor* first = nullptr;
  auto script = [&](Visitor& visitor) -> Task<void> {
    if (visitor.number == 1) first = &visitor;
    auto request = co_await visitor.request();
    auto sent = co_await visitor.send(std::string(kHello));
    co_return co_await visitor.closed();
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
    auto got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    // Breaks the connection in this turn, so that the pool cannot have noticed yet.
    const sockaddr none{AF_UNSPEC, {}};
    ::connect(first->stream.fd(), &none, sizeof none);
    got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    EXPECT_EQ(server.accepted(), 2);
    co_return ok();
  });
}

TEST(HttpPool, ReportsWhyItCannotConnect) {
  on_loop([]() -> Task<void> {
    Url url;
    {
      // A port that was free a moment ago.
      const Fd closed = *listen_on(*parse_address("127.0.0.1:0"), false);
      url.port = local_address(closed.get())->port();
    }
    url.host = "127.0.0.1";
    HttpPool pool(url, nullptr, {});
    auto got = co_await get(pool);
    EXPECT_EQ(*got, fmt::format("unavailable: cannot connect to 127.0.0.1:{}: Connection refused",
                                url.port));
    EXPECT_EQ(pool.open(), 0);
    co_return ok();
  });
}

TEST(HttpPool, IsBoundInConnectionsAndInWhatWaits) {
  HttpPoolSettings settings;
  settings.connections = 2;
  settings.waiting = 3;
  int now = 0;
  int most = 0;
  auto script = [&](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request) co_return ok();
      most = std::max(most, ++now);
      for (int i = 0; i < 5; ++i) co_await next_turn();
      --now;
      auto sent = co_await visitor.send(std::string(kHello));
    }
  };
  with_server(
      script,
      [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
        Scope scope;
        std::vector<std::string> outcomes;
        auto one = [&]() -> Task<void> {
          auto got = co_await get(pool);
          outcomes.push_back(*got);
          co_return ok();
        };
        for (int i = 0; i < 6; ++i) scope.spawn(one());
        EXPECT_EQ(outcomes.size(), 1U);
        auto drained = co_await scope.drain(in_time());
        EXPECT_TRUE(outcomes.front().starts_with("overloaded")) << outcomes.front();
        EXPECT_EQ(std::ranges::count(outcomes, "200 hello"), 5);
        EXPECT_EQ(most, 2);
        EXPECT_EQ(server.accepted(), 2);
        EXPECT_EQ(pool.open(), 2);
        co_return drained;
      },
      settings);
}

TEST(HttpPool, PassesTheSlotOfAClosedConnectionOn) {
  HttpPoolSettings settings;
  settings.connections = 1;
  with_server(
      always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"),
      [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
        Scope scope;
        int good = 0;
        auto one = [&]() -> Task<void> {
          auto got = co_await get(pool);
          good += *got == "200 hi";
          co_return ok();
        };
        for (int i = 0; i < 5; ++i) scope.spawn(one());
        auto drained = co_await scope.drain(in_time());
        EXPECT_EQ(good, 5);
        EXPECT_EQ(server.accepted(), 5);
        EXPECT_EQ(pool.open(), 0);
        co_return drained;
      },
      settings);
}

// The server sends `beginning` and no more. How do requests end that are cancelled or time out?
void expect_end_of_waits(std::string beginning, int connections) {
  bool closed = false;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    auto sent = co_await visitor.send(beginning);
    auto end = co_await visitor.closed();
    closed = true;
    co_return end;
  };
  HttpPoolSettings settings;
  settings.connections = connections;
  with_server(
      script,
      [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
        Scope scope;
        std::vector<Code> codes;
        auto one = [&](Deadline deadline) -> Task<void> {
          const HttpCall call{"GET", "/", "", ""};
          auto response = co_await pool.request(call, deadline);
          if (!response) {
            codes.push_back(response.error().code);
            co_return ok();
          }
          auto body = co_await (*response)->read_all(kMost, deadline);
          codes.push_back(body ? Code::internal : body.error().code);
          co_return ok();
        };
        scope.spawn(one(kNever));
        scope.spawn(one(Clock::now() + milliseconds(50)));
        auto timed_out = co_await until([&] { return codes.size() == 1; });
        if (!timed_out) co_return timed_out;
        EXPECT_EQ(codes.back(), Code::timeout);
        scope.cancel();
        auto drained = co_await scope.drain(in_time());
        if (!drained) co_return drained;
        EXPECT_EQ(codes.back(), Code::cancelled);
        EXPECT_EQ(pool.open(), 0);
        EXPECT_EQ(server.accepted(), connections);
        co_return co_await until([&] { return closed; });
      },
      settings);
}

TEST(HttpPool, EndsEveryWaitAndClosesTheConnection) {
  expect_end_of_waits("", 2);                                              // For the answer.
  expect_end_of_waits("", 1);                                              // For a connection.
  expect_end_of_waits("HTTP/1.1 200", 2);                                  // In the head.
  expect_end_of_waits("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 2);  // In the body.
  expect_end_of_waits("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", 2);
}

TEST(HttpPool, SendsNothingForAStoppedTask) {
  with_server(always(std::string(kHello)),
              [](HttpPool& pool, LoopbackServer& server) -> Task<void> {
                const HttpCall call{"GET", "/", "", ""};
                Stop stop;
                stop.request();
                auto stopped = pool.request(call, in_time());
                auto response = co_await stopped.with_stop(stop);
                EXPECT_EQ(response.error().code, Code::cancelled);
                response = co_await pool.request(call, Clock::now() - seconds(1));
                EXPECT_EQ(response.error().code, Code::timeout);
                EXPECT_EQ(server.accepted(), 0);
                co_return ok();
              });
}

TEST(HttpPool, CloseDropsIdleConnectionsAndDoesNotReuseBusyOnes) {
  bool answer = false;
  auto script = [&](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request) co_return ok();
      auto answered = co_await until([&] { return answer || visitor.number == 1; });
      auto sent = co_await visitor.send(std::string(kHello));
    }
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
    auto got = co_await get(pool);
    pool.close();
    EXPECT_EQ(pool.open(), 0);
    Scope scope;
    auto busy = [&]() -> Task<void> {
      auto late = co_await get(pool);
      EXPECT_EQ(*late, "200 hello");
      co_return ok();
    };
    scope.spawn(busy());
    auto connected = co_await until([&] { return server.accepted() == 2; });
    pool.close();
    answer = true;
    auto drained = co_await scope.drain(in_time());
    EXPECT_EQ(pool.open(), 0);
    got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    EXPECT_EQ(pool.open(), 1);
    co_return drained;
  });
}

}  // namespace
}  // namespace patchbay::net
