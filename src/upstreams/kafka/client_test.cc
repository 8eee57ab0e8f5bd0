// The calls of a KafkaClient on the embedded bus: requests, replies, questions, and replies that
// answer nothing.
#include "upstreams/kafka/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bus/correlation.h"
#include "bus/embedded_bus.h"
#include "bus/reader.h"
#include "json/read.h"
#include "testing/fake_call.h"
#include "testing/loopback.h"

namespace patchbay::upstreams {
namespace {

using testing::in_time;
using testing::on_loop;
using testing::until;

constexpr auto kCall = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bus__t",)"
                       R"("arguments":{"a":1},"_meta":{"progressToken":"p"}}})";

KafkaPlan plan() {
  KafkaPlan made{"bus", {}};
  made.settings.response_timeout_ms = 60'000;
  made.settings.limits.replies = 2;
  return made;
}

// A client on this loop, and an agent that the test plays: it sees requests and sends replies.
class Fixture final : bus::Producer::Events, bus::Reader::Events {
 public:
  Task<void> start() {
    auto started = bus_.start(1);
    if (!started) co_return started;
    const bus::Connection connection{{{"bootstrap.servers", bus_.bootstrap()}}, "test", true};
    bus::Producer::Events& outcomes = *this;
    producer_ = std::make_unique<bus::Producer>(connection, here(), outcomes, pool_);
    consumer_ =
        std::make_unique<bus::Consumer>(connection, false, here(), pool_, [](const Error&) {});
    for (auto began : {producer_->start(), consumer_->start()}) {
      if (!began) co_return began;
    }
    bus::Reader::Events& events = *this;
    reader_ = std::make_unique<bus::Reader>(*consumer_, events);
    for (const auto* topic : {"in", "out", "other"}) {
      auto followed = co_await reader_->follow(topic, bus::Reader::From::now, in_time());
      if (!followed) co_return followed;
    }
    shared.emplace(plan_, *producer_, registry_);
    shared->down = false;
    client.emplace(static_cast<net::Loop&>(here()), 0, *shared);
    auto offers = std::make_shared<KafkaOffers>();
    offers->tools["t"] = std::make_shared<const KafkaOffer>(
        make_offer(bus::Registration{"t", "d", "in", "out"}, {}, false));
    client->use(std::move(offers));
    co_return ok();
  }

  Task<void> stop() {
    auto ended = co_await client->stop(here().now());
    if (!ended) co_return ended;
    auto left = co_await reader_->stop();
    if (!left) co_return left;
    auto sent = co_await producer_->stop(here().now());
    if (!sent) co_return sent;
    auto read = co_await consumer_->stop();
    if (!read) co_return read;
    co_return co_await bus_.stop();
  }

  // Sends a reply under that id and waits until the client has got it.
  Task<void> reply(std::string id, std::string value, std::string topic = "out") {
    const int before = replies_;
    const std::array headers{bus::Header{bus::kCorrelationHeader, id}};
    auto sent = producer_->send({topic, id, value, headers}, kOwnTag);
    if (!sent) co_return sent;
    co_return co_await until([&] { return replies_ > before; });
  }

  struct Request {
    std::string id;
    std::string value;
  };
  std::vector<Request> requests;
  std::optional<KafkaShared> shared;
  std::optional<KafkaClient> client;

 private:
  static constexpr std::uint64_t kOwnTag = ~std::uint64_t{0};

  void on_delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) override {
    if (client && tag != kOwnTag) client->delivered(tag, outcome);
  }
  void on_trouble(const Error&) override {}
  void on_records(std::vector<bus::Record> records) override {
    for (auto& record : records) {
      const std::string id(record.header(bus::kCorrelationHeader).value_or(""));
      if (record.topic() == "in") {
        requests.push_back({id, std::string(record.value().value_or(""))});
        continue;
      }
      std::vector<KafkaArrival> arrived;
      arrived.push_back({id, std::move(record)});
      client->take(std::move(arrived));
      ++replies_;
    }
  }
  void on_caught_up(const std::string&) override {}
  void on_unreadable(const std::string&, const Error&) override {}

  const KafkaPlan plan_ = plan();
  bus::EmbeddedBus bus_;
  ThreadPool pool_{2, 100};
  metrics::Registry registry_;
  std::unique_ptr<bus::Producer> producer_;
  std::unique_ptr<bus::Consumer> consumer_;
  std::unique_ptr<bus::Reader> reader_;
  int replies_ = 0;
};

template <class Make>
void with_client(Make make) {
  on_loop([&]() -> Task<void> {
    Fixture fixture;
    auto done = co_await fixture.start();
    if (done) done = co_await make(fixture);
    EXPECT_TRUE(done) << done.error().message;
    co_return co_await fixture.stop();
  });
}

TEST(KafkaClient, AnswersWithTheReplyThatHasItsId) {
  with_client([](Fixture& fixture) -> Task<void> {
    testing::FakeCall call(kCall);
    testing::Outcome<mcp::Reply> outcome;
    outcome.start(fixture.client->call(call.call, "t"));
    auto came = co_await until([&] { return fixture.requests.size() == 1; });
    if (!came) co_return came;
    const std::string id = fixture.requests[0].id;
    EXPECT_EQ(fixture.requests[0].value, R"({"a":1})");
    EXPECT_EQ(KafkaClient::client_of(id), 0U);
    came = co_await fixture.reply(id, R"({"requestIndex":0,"status":"RUNNING","message":"half"})");
    if (!came) co_return came;
    came = co_await fixture.reply(id, R"({"b":2})");
    if (!came) co_return came;
    came = co_await until([&] { return outcome.done(); });
    if (!came) co_return came;
    EXPECT_TRUE(*outcome);
    EXPECT_EQ(json::member((*outcome)->body, "structuredContent"), R"({"b":2})");
    EXPECT_EQ(call.client.notifications.size(), 1U) << "a reply that is not final is progress";
    came = co_await fixture.reply(id, R"({"b":3})");
    EXPECT_EQ(fixture.shared->counters.duplicate->value(), 1U);
    co_return came;
  });
}

TEST(KafkaClient, DropsRepliesThatAreNotForACallInProgress) {
  with_client([](Fixture& fixture) -> Task<void> {
    const auto& counters = fixture.shared->counters;
    testing::FakeCall call(kCall);
    testing::Outcome<mcp::Reply> outcome;
    outcome.start(fixture.client->call(call.call, "t"));
    auto came = co_await until([&] { return fixture.requests.size() == 1; });
    if (!came) co_return came;
    const std::string id = fixture.requests[0].id;
    came = co_await fixture.reply(id, R"({"b":2})", "other");
    if (!came) co_return came;
    EXPECT_EQ(counters.misplaced->value(), 1U);
    came = co_await fixture.reply("11111111-2222-4333-8444-555555555500", R"({"b":2})");
    if (!came) co_return came;
    EXPECT_EQ(counters.foreign->value(), 1U);
    EXPECT_FALSE(outcome.done()) << "neither is its reply";
    outcome.cancel();
    came = co_await until([&] { return outcome.done(); });
    if (!came) co_return came;
    EXPECT_EQ(outcome->error().code, Code::cancelled);
    EXPECT_EQ(counters.in_flight->value(), 0);
    came = co_await fixture.reply(id, R"({"b":2})");
    EXPECT_EQ(counters.late->value(), 1U);
    co_return came;
  });
}

TEST(KafkaClient, AsksTheClientAndSendsTheAnswerUnderTheSameId) {
  with_client([](Fixture& fixture) -> Task<void> {
    testing::FakeCall call(kCall);
    testing::Outcome<mcp::Reply> outcome;
    outcome.start(fixture.client->call(call.call, "t"));
    auto came = co_await until([&] { return fixture.requests.size() == 1; });
    if (!came) co_return came;
    const std::string id = fixture.requests[0].id;
    came = co_await fixture.reply(id, R"({"status":"INPUT_REQUIRED","message":"which?"})");
    if (came) came = co_await until([&] { return call.client.questions.size() == 1; });
    if (!came) co_return came;
    call.client.questions[0].answer(mcp::result_reply(R"({"action":"accept","content":{"c":3}})"));
    came = co_await until([&] { return fixture.requests.size() == 2; });
    if (!came) co_return came;
    EXPECT_EQ(fixture.requests[1].id, id);
    EXPECT_NE(fixture.requests[1].value.find(R"("c":3)"), std::string::npos);
    came = co_await fixture.reply(id, R"({"b":2})");
    if (came) came = co_await until([&] { return outcome.done(); });
    EXPECT_TRUE(*outcome);
    co_return came;
  });
}

TEST(KafkaClient, ACallFailsWithItsRequestAndWithTheBus) {
  with_client([](Fixture& fixture) -> Task<void> {
    testing::FakeCall call(kCall);
    testing::Outcome<mcp::Reply> undelivered;
    undelivered.start(fixture.client->call(call.call, "t"));
    auto came = co_await until([&] { return fixture.requests.size() == 1; });
    if (!came) co_return came;
    constexpr std::uint64_t kFirst = 2;  // The first tag of the client 0 that wants no success.
    fixture.client->delivered(kFirst, Error{Code::unavailable, "not stored"});
    came = co_await until([&] { return undelivered.done(); });
    if (!came) co_return came;
    EXPECT_EQ(undelivered->error().message, "not stored");

    fixture.shared->down = true;
    auto down = co_await fixture.client->call(call.call, "t");
    EXPECT_EQ(down.error().code, Code::unavailable);
    auto unknown = co_await fixture.client->call(call.call, "nobody");
    EXPECT_EQ(unknown.error().code, Code::not_found);
    co_return ok();
  });
}

TEST(KafkaClient, EndsItsCallsWhenItStops) {
  with_client([](Fixture& fixture) -> Task<void> {
    testing::FakeCall call(kCall);
    testing::Outcome<mcp::Reply> outcome;
    outcome.start(fixture.client->call(call.call, "t"));
    auto came = co_await until([&] { return fixture.requests.size() == 1; });
    if (!came) co_return came;
    auto stopped = co_await fixture.client->stop(here().now());
    if (!stopped) co_return stopped;
    came = co_await until([&] { return outcome.done(); });
    if (!came) co_return came;
    EXPECT_EQ(outcome->error().code, Code::unavailable);
    co_return ok();
  });
}

}  // namespace
}  // namespace patchbay::upstreams
