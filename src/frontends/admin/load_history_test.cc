#include "frontends/admin/load_history.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

using std::chrono::seconds;

// Calls of 2 ms each: those of `total`, of which `failed` failed.
LoadCounters counters(double total, double failed, double in_flight = 0) {
  return {.calls = total,
          .errors = failed,
          .in_flight = in_flight,
          .at_most = {{0.001, 0}, {0.003, total}, {1.0, total}}};
}

struct History {
  LoadSnapshot now;
  LoadHistory history{[this] { return now; }};
  Deadline time = Deadline() + seconds(1000);

  void step(double calls, double failed = 0) {
    now.total = counters(calls, failed, 3);
    history.tick(time);
    time += LoadHistory::kStep;
  }
};

TEST(LoadHistory, StoresWhatHappenedInEachStep) {
  History one;
  for (const double calls : {0.0, 10.0, 10.0, 40.0}) one.step(calls, calls / 10);
  const auto found = one.history.find("15m", "");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->span.interval, seconds(5));
  ASSERT_EQ(found->points.size(), 180U);
  const auto* const last = &found->points.back();
  EXPECT_FALSE(last[-3].known);
  EXPECT_EQ(last[-2].calls, 10);
  EXPECT_EQ(last[-1].calls, 0);
  EXPECT_EQ(last[-1].p50, -1);
  EXPECT_EQ(last[0].calls, 30);
  EXPECT_EQ(last[0].errors, 3);
  EXPECT_NEAR(last[0].p50, 2, 0.01);
  EXPECT_EQ(last[0].in_flight, 3);
}

TEST(LoadHistory, LongerStepsAddUp) {
  History one;
  for (int i = 0; i <= 60; ++i) one.step(i);
  const auto hours = one.history.find("3h", "");
  EXPECT_EQ(hours->points[179].calls, 12);
  EXPECT_EQ(hours->points[175].calls, 12);
  EXPECT_FALSE(hours->points[174].known);
  const auto day = one.history.find("24h", "");
  EXPECT_EQ(day->points.back().calls, 60);
  EXPECT_FALSE(one.history.find("1h", ""));
}

TEST(LoadHistory, IsBoundedAndForgetsTheOldest) {
  History one;
  for (int i = 0; i <= 1000; ++i) one.step(i * i);
  const auto found = one.history.find("15m", "");
  EXPECT_EQ(found->points.size(), 180U);
  EXPECT_EQ(found->points.back().calls, 1000 * 1000 - 999 * 999);
  EXPECT_EQ(found->points.front().calls, 821 * 821 - 820 * 820);
}

TEST(LoadHistory, CallsBeforeTheFirstTickBelongToTheFirstStep) {
  History one;
  one.step(4);
  one.step(6);
  EXPECT_EQ(one.history.find("15m", "")->points.back().calls, 6);
}

TEST(LoadHistory, TicksBetweenStepsCostNothing) {
  int reads = 0;
  LoadHistory history([&] { return ++reads, LoadSnapshot(); });
  const Deadline begin = Deadline() + seconds(1000);
  for (int i = 0; i < 50; ++i) history.tick(begin + std::chrono::milliseconds(100 * i));
  EXPECT_EQ(reads, 0);
  history.tick(begin + seconds(5));
  EXPECT_EQ(reads, 1);
}

TEST(LoadHistory, TimeInWhichItDidNotRunIsUnknown) {
  History one;
  one.step(0);
  one.step(10);
  one.time += seconds(60);
  one.step(1000);
  one.step(1010);
  const auto found = one.history.find("15m", "");
  EXPECT_EQ(found->points[179].calls, 10);
  EXPECT_FALSE(found->points[178].known);
  EXPECT_EQ(found->points[177].calls, 10);
}

TEST(LoadHistory, UpstreamsHaveTheirOwnAndAreBounded) {
  History one;
  one.step(0);
  one.step(5);
  one.now.upstreams["late"] = counters(7, 0);
  one.step(12);
  one.now.upstreams["late"] = counters(9, 0);
  for (int i = 0; i < 300; ++i) one.now.upstreams["u" + std::to_string(i)] = counters(1, 0);
  one.step(14);
  const auto found = one.history.find("15m", "late");
  EXPECT_EQ(found->points[179].calls, 2);
  EXPECT_EQ(found->points[178].calls, 7);
  EXPECT_FALSE(found->points[177].known);
  int known = 0;
  for (int i = 0; i < 300; ++i) {
    known += one.history.find("15m", "u" + std::to_string(i))->points[179].known ? 1 : 0;
  }
  EXPECT_EQ(known, 199);
}

TEST(LoadHistory, TheNumberOfUpstreamsIsASetting) {
  History one;
  one.history.set_max_upstreams(2);
  one.step(0);
  const auto known = [&] {
    std::string names;
    for (const char* const name : {"a", "b", "c"}) {
      if (one.history.find("15m", name)->points[179].known) names += name;
    }
    return names;
  };
  for (const char* const name : {"a", "b", "c"}) one.now.upstreams[name] = counters(1, 0);
  one.step(3);
  EXPECT_EQ(known(), "ab");
  one.history.set_max_upstreams(1);
  EXPECT_EQ(known(), "a");
  one.step(4);
  EXPECT_EQ(known(), "a");
  one.history.set_max_upstreams(3);
  one.step(5);
  EXPECT_EQ(known(), "abc");
}

}  // namespace
}  // namespace patchbay::frontends
