// The states of an HttpChannel against a server that follows a script: answers, sessions, streams
// that break, refusals, a server that is gone.
#include "transport/http_channel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "testing/loopback.h"

namespace patchbay::transport {
namespace {

using testing::LoopbackServer;
using testing::on_loop;
using testing::until;
using testing::Visitor;

std::string answer(std::string_view status, std::string_view fields, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\n\r\n{}", status, fields, body.size(),
                     body);
}

std::string json_answer(std::string_view body, std::string_view fields = "") {
  return answer("200 OK", fmt::format("Content-Type: application/json\r\n{}", fields), body);
}

// Ends when the connection does.
std::string event_stream(std::string_view events) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{}", events);
}

// Stores what a channel reports. A request is awaited until a message with its id has come.
class Reports final : public Channel::Listener {
 public:
  void on_message(std::string_view text, std::uint64_t cause) override {
    messages.emplace_back(text);
    if (text.find("\"id\"") != std::string_view::npos) open.erase(cause);
  }
  bool awaits(std::uint64_t id) const override { return open.contains(id); }
  void on_lost(std::uint64_t id, const Error& why) override {
    open.erase(id);
    lost.push_back(fmt::format("{} {}", id, info(why.code).name));
    last_error = why;
  }
  void on_forgotten() override { ++forgotten; }
  void on_closed(const std::string&) override { ++closed; }

  std::set<std::uint64_t> open;
  std::vector<std::string> messages;
  std::vector<std::string> lost;
  Error last_error;
  int forgotten = 0;
  int closed = 0;
};

// Serves the connections of a channel one request after the other: `answers[i]` is the answer to
// request number i, after which the connection is closed if it is an event stream.
struct Script {
  std::vector<std::string> answers;
  std::vector<std::string> requests = {};
  int hung_up = 0;  // Requests whose client did not wait for the answer.

  LoopbackServer::Script of() {
    return [this](Visitor& visitor) -> Task<void> {
      for (;;) {
        auto request = co_await visitor.request();
        if (!request) co_return ok();
        requests.push_back(*request);
        if (requests.size() > answers.size()) {
          auto closed = co_await visitor.closed();
          ++hung_up;
          co_return closed;
        }
        const std::string& text = answers[requests.size() - 1];
        auto sent = co_await visitor.send(text);
        if (!sent || text.find("event-stream") != std::string::npos) co_return sent;
      }
    };
  }
};

// Runs `make` with a channel to a server that follows the script.
template <class Make>
void with_channel(Script& script, Make make) {
  on_loop([&]() -> Task<void> {
    LoopbackServer server(script.of());
    Reports reports;
    HttpTarget target{.url = server.url(), .tls = nullptr, .fields = "", .pool = {}};
    target.url.path = "/mcp";
    HttpChannel channel(target);
    channel.start(reports);
    auto done = co_await make(channel, reports);
    EXPECT_TRUE(done) << done.error().message;
    channel.close();
    auto finished = co_await channel.finish(testing::in_time());
    EXPECT_TRUE(finished);
    co_return co_await server.stop();
  });
}

void ask(HttpChannel& channel, Reports& reports, std::uint64_t id, std::string_view method,
         std::optional<mcp::Revision> revision) {
  reports.open.insert(id);
  auto sent = channel.send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}"}})", id, method),
                           {.id = id, .method = method, .revision = revision});
  EXPECT_TRUE(sent);
}

constexpr auto kSessionBased = mcp::Revision::v2025_11_25;

TEST(HttpChannel, HandsTheAnswerToTheRequestThatCausedIt) {
  Script script{{json_answer(R"({"jsonrpc":"2.0","id":7,"result":{}})")}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    ask(channel, reports, 7, "ping", mcp::kNewest);
    auto came = co_await until([&] { return reports.open.empty(); });
    EXPECT_EQ(reports.messages.size(), 1U);
    EXPECT_TRUE(reports.lost.empty());
    co_return came;
  });
  ASSERT_EQ(script.requests.size(), 1U);
  EXPECT_TRUE(script.requests[0].starts_with("POST /mcp HTTP/1.1\r\n"));
  EXPECT_NE(script.requests[0].find("Mcp-Method: ping\r\n"), std::string::npos);
}

TEST(HttpChannel, BringsTheSessionOfTheHandshakeAndReportsItsLoss) {
  Script script{{json_answer(R"({"jsonrpc":"2.0","id":1,"result":{}})", "Mcp-Session-Id: s1\r\n"),
                 answer("404 Not Found", "", "")}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    ask(channel, reports, 1, "initialize", std::nullopt);
    auto came = co_await until([&] { return reports.open.empty(); });
    if (!came) co_return came;
    ask(channel, reports, 2, "tools/list", kSessionBased);
    came = co_await until([&] { return reports.open.empty(); });
    EXPECT_EQ(reports.forgotten, 1);
    EXPECT_EQ(reports.lost, std::vector<std::string>{"2 unavailable"})
        << "it was not taken: it may be sent again in a new session";
    EXPECT_EQ(reports.closed, 0);
    co_return came;
  });
  ASSERT_EQ(script.requests.size(), 2U);
  EXPECT_EQ(script.requests[0].find("Mcp-Session-Id"), std::string::npos);
  EXPECT_NE(script.requests[1].find("Mcp-Session-Id: s1\r\n"), std::string::npos);
}

TEST(HttpChannel, ResumesAStreamThatBrokeAfterItsLastEvent) {
  Script script{
      {event_stream("retry: 1\nid: e1\ndata: {\"method\":\"notifications/progress\"}\n\n"),
       event_stream("id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n\n")}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    channel.agreed(kSessionBased);
    ask(channel, reports, 3, "tools/call", kSessionBased);
    auto came = co_await until([&] { return reports.open.empty(); });
    EXPECT_EQ(reports.messages.size(), 2U);
    EXPECT_TRUE(reports.lost.empty());
    co_return came;
  });
  ASSERT_EQ(script.requests.size(), 2U);
  EXPECT_TRUE(script.requests[1].starts_with("GET /mcp HTTP/1.1\r\n"));
  EXPECT_NE(script.requests[1].find("Last-Event-ID: e1\r\n"), std::string::npos);
}

TEST(HttpChannel, DoesNotResumeAStatelessStream) {
  Script script{{event_stream("id: e1\ndata: {\"method\":\"notifications/progress\"}\n\n")}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    channel.agreed(mcp::kNewest);
    ask(channel, reports, 3, "tools/call", mcp::kNewest);
    auto came = co_await until([&] { return reports.open.empty(); });
    EXPECT_EQ(reports.lost, std::vector<std::string>{"3 upstream_failed"});
    co_return came;
  });
  EXPECT_EQ(script.requests.size(), 1U);
}

TEST(HttpChannel, PassesOnWhenABusyServerMayBeAskedAgain) {
  Script script{{answer("503 Service Unavailable", "Retry-After: 7\r\n", "busy")}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    ask(channel, reports, 4, "tools/call", mcp::kNewest);
    auto came = co_await until([&] { return reports.open.empty(); });
    EXPECT_EQ(reports.lost, std::vector<std::string>{"4 overloaded"});
    EXPECT_NE(reports.last_error.data.find('7'), std::string::npos);
    EXPECT_FALSE(channel.misunderstood());
    co_return came;
  });
}

TEST(HttpChannel, ATimeToRetryThatCannotBeIsNone) {
  // What is too long is cut at 30 days; the others are no times.
  const std::pair<const char*, const char*> kCases[] = {
      {"99999999", "\"retryAfterMs\":2592000000"},
      {"9223372036854775807", "\"retryAfterMs\":2592000000"},
      {"9223372036854775808", ""},
      {"-9223372036854775808", ""},
      {"-1", ""},
      {"Wed, 21 Oct 2099 07:28:00 GMT", ""},
  };
  for (const auto& [given, wanted] : kCases) {
    Script script{
        {answer("429 Too Many Requests", std::string("Retry-After: ") + given + "\r\n", "busy")}};
    with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
      ask(channel, reports, 4, "tools/call", mcp::kNewest);
      auto came = co_await until([&] { return reports.open.empty(); });
      EXPECT_EQ(reports.lost, std::vector<std::string>{"4 overloaded"});
      const std::string& data = reports.last_error.data;
      EXPECT_TRUE(*wanted == '\0' ? data.empty() : data.contains(wanted)) << given << ' ' << data;
      co_return came;
    });
  }
}

TEST(HttpChannel, NoticesAServerThatDoesNotSpeakTheTransport) {
  Script script{{answer("405 Method Not Allowed", "", "")}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    ask(channel, reports, 5, "server/discover", mcp::kNewest);
    auto came = co_await until([&] { return reports.open.empty(); });
    EXPECT_EQ(reports.lost, std::vector<std::string>{"5 upstream_failed"});
    EXPECT_TRUE(channel.misunderstood());
    co_return came;
  });
}

TEST(HttpChannel, AbandoningARequestClosesItsConnection) {
  Script script{{}};
  with_channel(script, [&](HttpChannel& channel, Reports& reports) -> Task<void> {
    channel.agreed(mcp::kNewest);
    ask(channel, reports, 6, "tools/call", mcp::kNewest);
    auto came = co_await until([&] { return script.requests.size() == 1; });
    if (!came) co_return came;
    EXPECT_TRUE(channel.abandon(6)) << "a stateless server needs no notification";
    came = co_await until([&] { return script.hung_up == 1; });
    EXPECT_TRUE(reports.lost.empty()) << "who abandons a request knows";
    co_return came;
  });
}

TEST(HttpChannel, ClosesWhenNobodyIsThere) {
  on_loop([&]() -> Task<void> {
    net::Url nowhere;
    {
      LoopbackServer gone([](Visitor&) -> Task<void> { co_return ok(); });
      nowhere = gone.url();
      auto stopped = co_await gone.stop();
      if (!stopped) co_return stopped;
    }
    Reports reports;
    HttpChannel channel({.url = nowhere, .tls = nullptr, .fields = "", .pool = {}});
    channel.start(reports);
    ask(channel, reports, 8, "tools/call", mcp::kNewest);
    auto came = co_await until([&] { return reports.closed > 0; });
    EXPECT_EQ(reports.lost, std::vector<std::string>{"8 unavailable"});
    EXPECT_EQ(reports.closed, 1);
    EXPECT_FALSE(channel.send("{}", {})) << "a closed channel takes nothing";
    auto finished = co_await channel.finish(testing::in_time());
    EXPECT_TRUE(finished);
    co_return came;
  });
}

}  // namespace
}  // namespace patchbay::transport
