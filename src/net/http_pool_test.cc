// Tests of the client side of HTTP over real sockets, against a server that follows a script.
#include "net/http_pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::in_time;
using testing::LoopbackServer;
using testing::on_loop;
using testing::until;
using testing::Visitor;

constexpr std::string_view kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello";
constexpr std::size_t kMost = 64 << 20;

// The same answer to every request.
LoopbackServer::Script always(std::string answer) {
  return [answer](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request) co_return ok();
      auto said = co_await visitor.say(answer);
      if (!said) co_return said;
    }
  };
}

// "200 hello", or "unavailable: why".
Task<std::string> fetch(HttpPool& pool, HttpCall call, Deadline deadline) {
  auto response = co_await pool.request(call, deadline);
  if (!response) {
    co_return fmt::format("{}: {}", info(response.error().code).name, response.error().message);
  }
  auto body = co_await (*response)->read_all(kMost, deadline);
  if (!body) {
    co_return fmt::format("{} then {}: {}", (*response)->status(), info(body.error().code).name,
                          body.error().message);
  }
  co_return fmt::format("{} {}", (*response)->status(), *body);
}

Task<std::string> get(HttpPool& pool) {
  const HttpCall call{"GET", "/", "", ""};
  co_return co_await fetch(pool, call, in_time());
}

// Runs `make` beside a server that follows `script`, with a pool for it.
template <class Make>
void with_server(LoopbackServer::Script script, Make make, HttpPoolSettings settings = {}) {
  on_loop([&]() -> Task<void> {
    LoopbackServer server(std::move(script));
    {
      HttpPool pool(server.url(), nullptr, settings);
      auto done = co_await make(pool, server);
      EXPECT_TRUE(done) << done.error().message;
    }
    co_return co_await server.stop();
  });
}

// What a fresh pool makes of one answer.
std::string outcome_of(std::string answer, bool close_after = false,
                       std::string_view method = "GET") {
  std::string outcome;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    auto said = co_await visitor.say(answer);
    co_return close_after ? ok() : co_await visitor.closed();
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer&) -> Task<void> {
    const HttpCall call{method, "/", "", ""};
    auto text = co_await fetch(pool, call, in_time());
    outcome = *text;
    co_return ok();
  });
  return outcome;
}

TEST(HttpPool, SendsARequestAndGivesViewsOfTheAnswer) {
  std::string seen;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    seen = *request;
    auto said = co_await visitor.say(std::string(kHello));
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

TEST(HttpPool, SaysALengthOnlyWhereABodyIsUsual) {
  std::vector<std::string> seen;
  auto script = [&](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request) co_return ok();
      seen.push_back(*request);
      auto said = co_await visitor.say(std::string(kHello));
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

TEST(HttpResponse, EndsWhereItsHeadSays) {
  EXPECT_EQ(outcome_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), "200 hi");
  EXPECT_EQ(outcome_of("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "200 ");
  EXPECT_EQ(outcome_of("HTTP/1.1 204 No Content\r\n\r\n"), "204 ");
  EXPECT_EQ(outcome_of("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"), "304 ");
  EXPECT_EQ(outcome_of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", false, "HEAD"), "200 ");
  EXPECT_EQ(outcome_of("HTTP/1.1 200 OK\r\n\r\nuntil the end", true), "200 until the end");
  EXPECT_EQ(outcome_of("HTTP/1.0 200 OK\r\n\r\nold", true), "200 old");
  EXPECT_EQ(outcome_of("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 1\r\n\r\n>"),
            "302 >");
}

TEST(HttpResponse, ReadsChunks) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(outcome_of(head + "5\r\nhello\r\n0\r\n\r\n"), "200 hello");
  EXPECT_EQ(outcome_of(head + "5\r\nhello\r\n1;x=y\r\n \r\n5\r\nworld\r\n0\r\nT: v\r\n\r\n"),
            "200 hello world");
  EXPECT_EQ(outcome_of(head + "0\r\n\r\n"), "200 ");
}

TEST(HttpResponse, SkipsInterimResponses) {
  EXPECT_EQ(outcome_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
                       std::string(kHello)),
            "200 hello");
  std::string flood;
  for (int i = 0; i < 100; ++i) flood += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_TRUE(outcome_of(flood + std::string(kHello)).starts_with("upstream_failed"));
}

TEST(HttpResponse, RefusesWhatIsBrokenOrBreaksOff) {
  const auto fails = [](std::string answer, std::string_view how) {
    const auto outcome = outcome_of(std::move(answer), true);
    EXPECT_TRUE(outcome.starts_with(how)) << outcome;
  };
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  fails("", "upstream_failed: no answer");
  fails("HTTP/1.1 200 OK\r\nContent-", "upstream_failed");
  fails("nonsense", "upstream_failed");
  fails("HTTP/1.1 101 Switching Protocols\r\n\r\n", "upstream_failed");
  fails("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "upstream_failed");
  fails("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", "200 then upstream_failed");
  fails(chunked + "5\r\nhel", "200 then upstream_failed");
  fails(chunked + "5\r\nhello\r\n", "200 then upstream_failed");
  fails(chunked + "x\r\n", "200 then upstream_failed");
}

TEST(HttpResponse, ReadsASlowBodyAndKeepsItsFields) {
  for (const bool chunked : {false, true}) {
    const std::string head = chunked
                                 ? "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
                                 : "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\n";
    const std::string body = chunked ? "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n" : "hello";
    auto script = [&](Visitor& visitor) -> Task<void> {
      for (;;) {
        auto request = co_await visitor.request();
        if (!request) co_return ok();
        for (const char c : head + body) {
          auto said = co_await visitor.say(std::string(1, c));
          co_await next_turn();
        }
      }
    };
    with_server(script, [](HttpPool& pool, LoopbackServer& server) -> Task<void> {
      const HttpCall call{"GET", "/", "", ""};
      auto response = co_await pool.request(call, in_time());
      if (!response) co_return response.error();
      EXPECT_EQ((*response)->body_at_hand(), std::nullopt);
      std::string whole;
      for (;;) {
        auto piece = co_await (*response)->read(in_time());
        if (!piece) co_return piece.error();
        if (piece->empty()) break;
        whole += *piece;
        EXPECT_EQ((*response)->field("X-A"), "b");
      }
      EXPECT_EQ(whole, "hello");
      auto again = co_await get(pool);
      EXPECT_EQ(*again, "200 hello");
      EXPECT_EQ(server.accepted(), 1);
      co_return ok();
    });
  }
}

TEST(HttpResponse, ReadsLargeBodies) {
  std::string large(3'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i % 26);
  const auto sized =
      fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", large.size(), large);
  const auto chunked =
      fmt::format("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                  large.size(), large);
  for (const auto& answer : {sized, chunked}) {
    with_server(always(answer), [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
      auto whole = co_await get(pool);
      EXPECT_TRUE(*whole == "200 " + large) << whole->substr(0, 80);
      const HttpCall call{"GET", "/", "", ""};
      {
        auto response = co_await pool.request(call, in_time());
        if (!response) co_return response.error();
        std::string pieces;
        for (;;) {
          auto piece = co_await (*response)->read(in_time());
          if (!piece) co_return piece.error();
          if (piece->empty()) break;
          pieces += *piece;
        }
        EXPECT_TRUE(pieces == large);
      }
      EXPECT_EQ(server.accepted(), 1);
      auto response = co_await pool.request(call, in_time());
      if (!response) co_return response.error();
      auto refused = co_await (*response)->read_all(1000, in_time());
      EXPECT_EQ(refused.error().code, Code::too_large);
      co_return ok();
    });
  }
}

TEST(HttpPool, SendsLargeBodies) {
  std::string seen;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    if (request) seen = *request;
    auto said = co_await visitor.say(std::string(kHello));
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
    auto said = co_await visitor.say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
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

TEST(HttpPool, DoesNotUseAConnectionAgainThatSaysMoreThanItWasAsked) {
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
      auto said = co_await visitor.say(std::string(kHello));
      co_await next_turn();
      if (!speaks) co_return ok();
      said = co_await visitor.say("HTTP/1.1 408 Request Timeout\r\n\r\n");
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

TEST(HttpPool, SaysWhenAKeptConnectionDiesUnansweredAndDoesNotAskAgain) {
  int requests = 0;
  auto script = [&](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request || ++requests == 2) co_return ok();
      auto said = co_await visitor.say(std::string(kHello));
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
    auto said = co_await visitor.say(std::string(kHello));
    co_return co_await visitor.closed();
  };
  with_server(script, [&](HttpPool& pool, LoopbackServer& server) -> Task<void> {
    auto got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    // Breaks the connection in this turn, so that the pool cannot have heard of it.
    const sockaddr none{AF_UNSPEC, {}};
    ::connect(first->stream.fd(), &none, sizeof none);
    got = co_await get(pool);
    EXPECT_EQ(*got, "200 hello");
    EXPECT_EQ(server.accepted(), 2);
    co_return ok();
  });
}

TEST(HttpPool, SaysWhyItCannotConnect) {
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
      auto said = co_await visitor.say(std::string(kHello));
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
        EXPECT_TRUE(outcomes.front().starts_with("overloaded")) << outcomes.front();
        auto drained = co_await scope.drain(in_time());
        EXPECT_EQ(std::ranges::count(outcomes, "200 hello"), 5);
        EXPECT_EQ(most, 2);
        EXPECT_EQ(server.accepted(), 2);
        EXPECT_EQ(pool.open(), 2);
        co_return drained;
      },
      settings);
}

TEST(HttpPool, PassesThePlaceOfAClosedConnectionOn) {
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

// The server says `beginning` and no more; how do requests end that are cancelled, or too late?
void expect_end_of_waits(std::string beginning, int connections) {
  bool closed = false;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    auto said = co_await visitor.say(beginning);
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

TEST(HttpPool, SendsNothingForWhoIsStoppedAlready) {
  with_server(always(std::string(kHello)),
              [](HttpPool& pool, LoopbackServer& server) -> Task<void> {
                const HttpCall call{"GET", "/", "", ""};
                Stop stop;
                stop.request();
                auto stopped = pool.request(call, in_time());
                auto response = co_await stopped.hearing(stop);
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
      auto told = co_await until([&] { return answer || visitor.number == 1; });
      auto said = co_await visitor.say(std::string(kHello));
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
