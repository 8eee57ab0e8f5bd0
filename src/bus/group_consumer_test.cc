// Tests of members of consumer groups against the embedded bus, over real sockets.
#include "bus/group_consumer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "bus/embedded_bus.h"
#include "bus/producer.h"
#include "testing/loopback.h"

namespace patchbay::bus {
namespace {

using testing::in_time;
using testing::on_loop;
using testing::until;

struct Unheard final : Producer::Events {
  void on_delivered(std::uint64_t, const Result<RecordMetadata>&) override { ++delivered; }
  void on_trouble(const Error&) override {}
  int delivered = 0;
};

// Keeps what it is given until the test says that it is done.
struct Work final : GroupConsumer::Events {
  void on_record(OwnedMessage record) override {
    seen.insert(record.value.value_or(""));
    running.push_back(std::move(record));
    most = std::max(most, running.size());
  }
  void on_assigned(std::size_t partitions) override { assigned = partitions; }
  void on_trouble(const Error&) override {}

  void finish_one(GroupConsumer& group) {
    const OwnedMessage record = std::move(running.front());
    running.pop_front();
    group.done(record.topic, record.partition, record.offset);
  }

  std::multiset<std::string> seen;
  std::deque<OwnedMessage> running;
  std::size_t most = 0;
  std::size_t assigned = 0;
};

struct GroupFixture {
  Task<void> start(int records, int brokers = 1) {
    auto started = bus.start(brokers);
    if (!started) co_return started;
    connection.properties = {{"bootstrap.servers", bus.bootstrap()}};
    bus.create_topic("t", 4);
    Producer producer(connection, here(), unheard, pool);
    auto began = producer.start();
    if (!began) co_return began;
    for (int i = 0; i < records; ++i) {
      const std::string text = std::to_string(i);
      auto sent = producer.send({"t", text, text}, 0);
      EXPECT_TRUE(sent) << sent.error().message;
    }
    auto reported = co_await until([&] { return unheard.delivered == records; });
    auto stopped = co_await producer.stop(here().now());
    co_return reported ? stopped : reported;
  }

  EmbeddedBus bus;
  ThreadPool pool{2, 100};
  Unheard unheard;
  Connection connection{{}, "test", true};
};

TEST(GroupConsumer, HandsOutNoMoreThanItMayAndLosesNothingOverPauses) {
  on_loop([]() -> Task<void> {
    constexpr int kRecords = 60;
    GroupFixture fixture;
    auto began = co_await fixture.start(kRecords);
    if (!began) co_return began;
    Work work;
    // So little may wait here that partitions are paused again and again.
    GroupConsumer::Settings settings{.group = "g", .at_once = 3, .backlog = 5};
    GroupConsumer group(fixture.connection, settings, here(), fixture.pool, work);
    auto started = group.start();
    if (!started) co_return started;
    auto subscribed = group.subscribe({"t"});
    auto all = co_await until([&] {
      if (!work.running.empty()) work.finish_one(group);
      return work.seen.size() >= kRecords && work.running.empty();
    });
    EXPECT_TRUE(all) << work.seen.size();
    EXPECT_EQ(work.most, 3);
    const std::set<std::string> distinct(work.seen.begin(), work.seen.end());
    EXPECT_EQ(distinct.size(), kRecords);
    // It ends, although partitions have been paused and the bus is no more.
    auto gone = co_await fixture.bus.stop();
    auto stopped = co_await group.stop(here().now());
    EXPECT_TRUE(stopped);
    co_return gone;
  });
}

TEST(GroupConsumer, TheNextMemberGoesOnAfterWhatIsDone) {
  on_loop([]() -> Task<void> {
    GroupFixture fixture;
    auto began = co_await fixture.start(8);
    if (!began) co_return began;
    std::multiset<std::string> seen;
    for (const int member : {1, 2}) {
      Work work;
      GroupConsumer group(fixture.connection, {.group = "g", .at_once = 2}, here(), fixture.pool,
                          work);
      auto started = group.start();
      if (!started) co_return started;
      auto subscribed = group.subscribe({"t"});
      // The first does four of them, and holds two more when it leaves.
      int done = 0;
      auto worked = co_await until([&] {
        const bool enough = member == 1 && done == 4;
        if (!work.running.empty() && !enough) {
          seen.insert(work.running.front().value.value_or(""));
          work.finish_one(group);
          ++done;
        }
        return enough || seen.size() == 8;
      });
      EXPECT_TRUE(worked) << seen.size();
      auto stopped = co_await group.stop(here().now());
    }
    const std::set<std::string> distinct(seen.begin(), seen.end());
    EXPECT_EQ(distinct.size(), 8);
    co_return co_await fixture.bus.stop();
  });
}

// Each record is dealt with, and what is done before the move is not handed out again after it.
TEST(GroupConsumer, GoesOnWhenTheCoordinatorMoves) {
  on_loop([]() -> Task<void> {
    constexpr int kRecords = 24;
    GroupFixture fixture;
    auto began = co_await fixture.start(kRecords, 2);
    if (!began) co_return began;
    fixture.bus.set_coordinator("g", 1);
    Work work;
    GroupConsumer group(fixture.connection, {.group = "g", .at_once = 2}, here(), fixture.pool,
                        work);
    auto started = group.start();
    if (!started) co_return started;
    auto subscribed = group.subscribe({"t"});
    std::set<std::string> done;
    auto all = co_await until([&] {
      if (done.size() == kRecords / 2) fixture.bus.set_coordinator("g", 2);
      if (!work.running.empty()) {
        done.insert(work.running.front().value.value_or(""));
        work.finish_one(group);
      }
      return done.size() == kRecords;
    });
    EXPECT_TRUE(all) << done.size();
    auto stopped = co_await group.stop(here().now() + std::chrono::seconds(1));
    co_return co_await fixture.bus.stop();
  });
}

}  // namespace
}  // namespace patchbay::bus
