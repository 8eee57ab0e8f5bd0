// Tests of how responses are read over real sockets, from a server that follows a script.
#include "net/http/client/response.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/http_fixture.h"

namespace patchbay::net {
namespace {

using testing::always;
using testing::fetch;
using testing::get;
using testing::in_time;
using testing::kHello;
using testing::LoopbackServer;
using testing::Visitor;
using testing::with_server;

// What a new pool reads from one response.
std::string outcome_of(std::string answer, bool close_after = false,
                       std::string_view method = "GET") {
  std::string outcome;
  auto script = [&](Visitor& visitor) -> Task<void> {
    auto request = co_await visitor.request();
    auto sent = co_await visitor.send(answer);
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

TEST(HttpResponse, EndsAsItsHeadDeclares) {
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
          auto sent = co_await visitor.send(std::string(1, c));
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
      fmt::format("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: {}\r\n\r\n{}", large.size(), large);
  const auto chunked = fmt::format(
      "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
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
        EXPECT_EQ((*response)->field("X-A"), "b");
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

}  // namespace
}  // namespace patchbay::net
