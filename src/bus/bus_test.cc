// Tests of producer and readers against the embedded bus, over real sockets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "async/scope.h"
#include "bus/embedded_bus.h"
#include "bus/producer.h"
#include "bus/rdkafka.h"
#include "bus/reader.h"
#include "testing/loopback.h"

namespace patchbay::bus {
namespace {

using testing::in_time;
using testing::on_loop;
using testing::until;

struct Outcomes final : Producer::Events {
  void on_delivered(std::uint64_t tag, const Result<RecordMetadata>& outcome) override {
    delivered[tag] = outcome ? "ok" : std::string(info(outcome.error().code).name);
    ++times[tag];
  }
  void on_trouble(const Error& error) override { troubles.push_back(error.message); }

  std::map<std::uint64_t, std::string> delivered;
  std::map<std::uint64_t, int> times;  // How often each was reported.
  std::vector<std::string> troubles;
};

struct Seen final : Reader::Events {
  void on_records(std::vector<Record> records) override {
    for (const auto& record : records) {
      values.push_back(
          fmt::format("{}={}", record.key().value_or("-"), record.value().value_or("(deleted)")));
      if (const auto header = record.header("h")) headers.emplace_back(*header);
    }
  }
  void on_caught_up(const std::string& topic) override { caught_up.push_back(topic); }
  void on_unreadable(const std::string&, const Error&) override {}

  std::vector<std::string> values;
  std::vector<std::string> headers;
  std::vector<std::string> caught_up;
};

// A bus with a producer and two consumers, one of which reports ends.
struct BusFixture {
  explicit BusFixture(Properties more = {}) : more_(std::move(more)) {}

  Task<void> start(int brokers = 1) {
    auto started = bus.start(brokers);
    if (!started) co_return started;
    Connection connection{{{"bootstrap.servers", bus.bootstrap()}}, "test", true};
    connection.properties.insert(connection.properties.end(), more_.begin(), more_.end());
    const auto trouble = [](const Error&) {};
    producer = std::make_unique<Producer>(connection, here(), outcomes, pool);
    live = std::make_unique<Consumer>(connection, false, here(), pool, trouble);
    tables = std::make_unique<Consumer>(connection, true, here(), pool, trouble);
    for (auto began : {producer->start(), live->start(), tables->start()}) {
      if (!began) co_return began;
    }
    co_return ok();
  }

  Task<void> stop() {
    auto sent = co_await producer->stop(here().now());
    auto one = co_await live->stop();
    auto other = co_await tables->stop();
    co_return co_await bus.stop();
  }

  void send(std::string_view topic, std::string_view key, std::optional<std::string_view> value,
            std::uint64_t tag = 0) {
    const std::vector<Header> headers{{"h", "x"}};
    auto sent = producer->send({topic, key, value, headers}, tag);
    EXPECT_TRUE(sent) << sent.error().message;
  }

  const Properties more_;
  EmbeddedBus bus;
  ThreadPool pool{2, 100};
  Outcomes outcomes;
  std::unique_ptr<Producer> producer;
  std::unique_ptr<Consumer> live;
  std::unique_ptr<Consumer> tables;
};

TEST(Bus, CarriesRecordsWithKeyValueAndHeaders) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    Seen seen;
    Reader reader(*fixture.live, seen);
    auto followed = co_await reader.follow("t", Reader::From::now, in_time());
    if (!followed) co_return followed;
    fixture.send("t", "k", "v", 7);
    auto came = co_await until([&] { return seen.values.size() == 1; });
    if (!came) co_return came;
    EXPECT_EQ(seen.values.front(), "k=v");
    EXPECT_EQ(seen.headers.front(), "x");
    auto reported = co_await until([&] { return fixture.outcomes.delivered.size() == 1; });
    EXPECT_EQ(fixture.outcomes.delivered[7], "ok");
    auto stopped = co_await reader.stop();
    co_return co_await fixture.stop();
  });
}

TEST(Bus, ReadsATopicFromItsBeginningAndReportsItsEnd) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    for (int i = 0; i < 50; ++i) fixture.send("table", fmt::format("{}", i), "v");
    fixture.send("table", "7", std::nullopt);
    auto sent = co_await until([&] { return fixture.producer->waiting() == 0; });
    Seen seen;
    Seen none;
    Reader reader(*fixture.tables, seen);
    Reader late(*fixture.live, none);
    auto followed = co_await reader.follow("table", Reader::From::beginning, in_time());
    if (!followed) co_return followed;
    auto now = co_await late.follow("table", Reader::From::now, in_time());
    if (!now) co_return now;
    auto came = co_await until([&] { return !seen.caught_up.empty(); });
    if (!came) co_return came;
    EXPECT_EQ(seen.values.size(), 51U);
    EXPECT_EQ(std::ranges::count(seen.values, "7=(deleted)"), 1);
    fixture.send("table", "new", "v");
    auto more = co_await until([&] { return seen.values.size() == 52 && none.values.size() == 1; });
    if (!more) co_return more;
    EXPECT_EQ(none.values.front(), "new=v");
    EXPECT_EQ(seen.caught_up.size(), 1U);
    auto left = co_await reader.leave("table");
    fixture.send("table", "later", "v");
    auto last = co_await until([&] { return none.values.size() == 2; });
    EXPECT_EQ(seen.values.size(), 52U);
    auto stopped = co_await reader.stop();
    stopped = co_await late.stop();
    co_return co_await fixture.stop();
  });
}

// This thread holds the loop, so nothing is reported until it lets go.
TEST(Bus, CountsWhatHasNotBeenRead) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    Seen seen;
    Reader reader(*fixture.live, seen);
    auto followed = co_await reader.follow("t", Reader::From::now, in_time());
    if (!followed) co_return followed;
    EXPECT_EQ(fixture.live->unread(), 0);
    for (int i = 0; i < 3; ++i) fixture.send("t", "k", "v");
    const Deadline deadline = in_time();
    while (fixture.live->unread() < 3 && Clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(fixture.live->unread(), 3);
    EXPECT_EQ(fixture.tables->unread(), 0);
    auto came = co_await until([&] { return seen.values.size() == 3; });
    if (!came) co_return came;
    EXPECT_EQ(fixture.live->unread(), 0);
    auto left = co_await reader.leave("t");
    if (!left) co_return left;
    EXPECT_EQ(fixture.live->unread(), 0);
    auto stopped = co_await reader.stop();
    co_return co_await fixture.stop();
  });
}

TEST(Bus, FollowsATopicAgainOnceItHasBeenLeft) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    // With one thread, those who want to follow have looked before the topic has been left.
    ThreadPool one{1, 10};
    const Connection connection{{{"bootstrap.servers", fixture.bus.bootstrap()}}, "test", true};
    Consumer consumer(connection, false, here(), one, [](const Error&) {});
    auto connected = consumer.start();
    if (!connected) co_return connected;
    Seen seen;
    Reader reader(consumer, seen);
    auto followed = co_await reader.follow("t", Reader::From::now, in_time());
    if (!followed) co_return followed;
    int following = 0;
    const auto follow = [&]() -> Task<void> {
      auto done = co_await reader.follow("t", Reader::From::now, in_time());
      EXPECT_TRUE(done) << done.error().message;
      ++following;
      co_return done;
    };
    Scope scope;
    scope.spawn(follow());
    scope.spawn(follow());
    scope.spawn(reader.leave("t"));
    EXPECT_FALSE(reader.follows("t"));
    auto drained = co_await scope.drain(kNever);
    EXPECT_EQ(following, 2);
    EXPECT_TRUE(reader.follows("t"));
    fixture.send("t", "k", "v");
    auto came = co_await until([&] { return seen.values.size() == 1; });
    EXPECT_TRUE(came);
    auto stopped = co_await reader.stop();
    stopped = co_await consumer.stop();
    co_return co_await fixture.stop();
  });
}

TEST(Bus, RefusesWhenTooMuchWaitsAndFailsWhatCannotBeSent) {
  on_loop([]() -> Task<void> {
    BusFixture fixture({{"queue.buffering.max.messages", "3"}, {"message.timeout.ms", "300"}});
    auto began = co_await fixture.start();
    if (!began) co_return began;
    fixture.bus.set_down(1, true);
    for (std::uint64_t tag = 1; tag <= 3; ++tag) fixture.send("t", "k", "v", tag);
    auto refused = fixture.producer->send({"t", "k", "v"}, 4);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::overloaded);
    auto failed = co_await until([&] { return fixture.outcomes.delivered.size() == 3; });
    if (!failed) co_return failed;
    for (const auto& [tag, outcome] : fixture.outcomes.delivered) EXPECT_EQ(outcome, "unavailable");
    fixture.bus.set_down(1, false);
    fixture.send("t", "k", "v", 5);
    auto again = co_await until([&] { return fixture.outcomes.delivered.contains(5); });
    co_return co_await fixture.stop();
  });
}

TEST(Bus, GetsAnotherProducerWhenOneCannotGoOn) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    fixture.send("t", "k", "v", 1);
    auto first = co_await until([&] { return fixture.outcomes.delivered.contains(1); });
    fixture.producer->break_client();
    // Until it has been noticed, sending fails; from then on it works.
    auto rebuilt = co_await until([&] { return bool(fixture.producer->send({"t", "k", "v"}, 2)); });
    if (!rebuilt) co_return rebuilt;
    auto second = co_await until([&] { return fixture.outcomes.delivered.contains(2); });
    EXPECT_EQ(fixture.outcomes.delivered[2], "ok");
    co_return co_await fixture.stop();
  });
}

TEST(Bus, FollowsTheLeaderToAnotherBroker) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start(3);
    if (!began) co_return began;
    fixture.bus.create_topic("t", 1);
    fixture.bus.set_leader("t", 0, 1);
    Seen seen;
    Reader reader(*fixture.live, seen);
    auto followed = co_await reader.follow("t", Reader::From::now, in_time());
    if (!followed) co_return followed;
    fixture.send("t", "k", "1");
    auto one = co_await until([&] { return seen.values.size() == 1; });
    fixture.bus.set_leader("t", 0, 2);
    fixture.send("t", "k", "2");
    auto two = co_await until([&] { return seen.values.size() == 2; });
    if (!two) co_return two;
    EXPECT_EQ(seen.values, (std::vector<std::string>{"k=1", "k=2"}));
    auto stopped = co_await reader.stop();
    co_return co_await fixture.stop();
  });
}

constexpr std::int16_t kProduce = 0;  // In Kafka's protocol.
constexpr int kRecords = 20;

// Sends records while `fault` happens, and expects each to be there once.
Task<void> send_through(BusFixture& fixture, std::function<void()> fault) {
  fixture.bus.create_topic("t", 1);
  fixture.bus.set_leader("t", 0, 1);
  Seen seen;
  Reader reader(*fixture.live, seen);
  auto followed = co_await reader.follow("t", Reader::From::now, in_time());
  if (!followed) co_return followed;
  std::vector<std::string> wanted;
  for (int i = 0; i < kRecords; ++i) {
    if (i == kRecords / 2) fault();
    const std::string value = std::to_string(i);
    fixture.send("t", "k", value, static_cast<std::uint64_t>(i) + 1);
    wanted.push_back("k=" + value);
  }
  auto reported = co_await until([&] { return fixture.outcomes.delivered.size() == kRecords; });
  EXPECT_TRUE(reported) << fixture.outcomes.delivered.size();
  auto read = co_await until([&] { return seen.values.size() >= kRecords; });
  EXPECT_EQ(seen.values, wanted);
  for (const auto& [tag, outcome] : fixture.outcomes.delivered) {
    EXPECT_EQ(outcome, "ok") << tag;
    EXPECT_EQ(fixture.outcomes.times[tag], 1) << tag;
  }
  auto stopped = co_await reader.stop();
  co_return co_await fixture.stop();
}

TEST(Bus, DeliversEachRecordOnceWhenTheBrokerFailsWhileItTakesThem) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    auto fault = [&] {
      fixture.bus.fail_requests(
          kProduce, {RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
                     RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                     RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR__TRANSPORT});
    };
    auto sending = send_through(fixture, fault);
    co_return co_await sending;
  });
}

TEST(Bus, DeliversEachRecordOnceWhenTheLeaderDiesWhileItTakesThem) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start(2);
    if (!began) co_return began;
    auto fault = [&] {
      fixture.bus.set_down(1, true);
      fixture.bus.set_leader("t", 0, 2);
    };
    auto sending = send_through(fixture, fault);
    co_return co_await sending;
  });
}

// Whatever the broker answers about our id, each record is reported once, and later ones arrive.
TEST(Bus, GoesOnWhenTheBrokerDoesNotKnowItOrHasFencedIt) {
  on_loop([]() -> Task<void> {
    BusFixture fixture;
    auto began = co_await fixture.start();
    if (!began) co_return began;
    std::uint64_t tag = 0;
    for (const auto error :
         {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
          RD_KAFKA_RESP_ERR_PRODUCER_FENCED, RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED}) {
      auto& outcomes = fixture.outcomes;
      fixture.send("t", "k", "before", ++tag);
      auto before = co_await until([&] { return outcomes.delivered.contains(tag); });
      EXPECT_EQ(outcomes.delivered[tag], "ok") << error;
      fixture.bus.fail_requests(kProduce, {error});
      fixture.send("t", "k", "meanwhile", ++tag);
      auto reported = co_await until([&] { return outcomes.delivered.contains(tag); });
      EXPECT_TRUE(reported) << error;
      // A client that cannot go on takes nothing until another has taken its place.
      auto taken =
          co_await until([&] { return bool(fixture.producer->send({"t", "k", "v"}, ++tag)); });
      EXPECT_TRUE(taken) << error;
      auto after = co_await until([&] { return outcomes.delivered.contains(tag); });
      EXPECT_EQ(outcomes.delivered[tag], "ok") << error;
    }
    for (const auto& [number, times] : fixture.outcomes.times) EXPECT_EQ(times, 1) << number;
    co_return co_await fixture.stop();
  });
}

TEST(Bus, NamesThePropertyThatLibrdkafkaDoesNotTake) {
  auto unknown = check_properties({{"bootstrap.server", "x"}});
  EXPECT_EQ(unknown.error().message, "librdkafka has no property 'bootstrap.server'");
  auto wrong = check_properties({{"acks", "some"}});
  EXPECT_FALSE(wrong);
  auto right = check_properties({{"sasl.password", "secret"}, {"acks", "all"}});
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace patchbay::bus
