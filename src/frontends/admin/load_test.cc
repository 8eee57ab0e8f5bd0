#include "frontends/admin/load.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

constexpr std::string_view kMetrics = R"(# HELP patchbay_calls_total Calls.
# TYPE patchbay_calls_total counter
patchbay_calls_total{upstream="a",outcome="ok"} 90
patchbay_calls_total{upstream="a",outcome="timeout"} 10
patchbay_calls_total{upstream="b \"x\"} y",outcome="ok"} 1
patchbay_call_seconds_bucket{upstream="a",le="0.001"} 50
patchbay_call_seconds_bucket{upstream="a",le="0.01"} 95
patchbay_call_seconds_bucket{upstream="a",le="+Inf"} 100 # {trace_id="x"} 12.5
patchbay_upstream_calls_in_flight{upstream="a"} 3
patchbay_tool_calls_total{tool="a.t",outcome="ok"} 7
patchbay_sessions 2
)";

TEST(ReadLoad, AddsTheSeriesOfEachUpstream) {
  const auto load = read_load(kMetrics);
  const auto& a = load.upstreams.at("a");
  EXPECT_EQ(a.calls, 100);
  EXPECT_EQ(a.errors, 10);
  EXPECT_EQ(a.in_flight, 3);
  EXPECT_EQ(a.at_most.size(), 3U);
  EXPECT_EQ(a.at_most.rbegin()->second, 100);
  EXPECT_EQ(load.total.calls, 101);
  EXPECT_EQ(load.tools.at("a.t").calls, 7);
  EXPECT_EQ(load.sessions, 2);
}

TEST(QuantileOf, IsInterpolatedWithinABucket) {
  const auto buckets = read_load(kMetrics).upstreams.at("a").at_most;
  EXPECT_DOUBLE_EQ(quantile_of(buckets, 0.25), 0.0005);
  EXPECT_DOUBLE_EQ(quantile_of(buckets, 0.5), 0.001);
  EXPECT_DOUBLE_EQ(quantile_of(buckets, 0.95), 0.01);
  EXPECT_DOUBLE_EQ(quantile_of(buckets, 0.99), 0.01);
  EXPECT_LT(quantile_of({}, 0.5), 0);
}

TEST(Load, ComparesWithTheSnapshotBefore) {
  int calls = 10;
  Load load(
      [&] {
        return "patchbay_calls_total{upstream=\"a\",outcome=\"ok\"} " + std::to_string(calls) +
               "\n";
      },
      Deadline(std::chrono::seconds(0)));
  const auto at = [](int seconds) { return Deadline(std::chrono::seconds(seconds)); };
  const auto first = load.window(at(5), std::chrono::seconds(2));
  EXPECT_EQ(first.seconds, 5);
  EXPECT_EQ(difference(first.now->total, first.before->total).calls, 10);
  calls = 30;
  const auto second = load.window(at(7), std::chrono::seconds(2));
  EXPECT_EQ(second.seconds, 2);
  EXPECT_EQ(difference(second.now->total, second.before->total).calls, 20);
  calls = 40;
  EXPECT_EQ(load.window(at(7), std::chrono::seconds(2)).now, second.now);
  const auto late = load.window(at(500), std::chrono::seconds(2));
  EXPECT_EQ(late.seconds, 500);
}

TEST(Load, CountersThatAreLowerHaveBegunAgain) {
  const LoadCounters before{.calls = 50, .errors = 3, .at_most = {{1.0, 50}}};
  const LoadCounters now{.calls = 7, .errors = 1, .at_most = {{1.0, 7}}};
  const LoadCounters change = difference(now, before);
  EXPECT_EQ(change.calls, 7);
  EXPECT_EQ(change.errors, 1);
  EXPECT_EQ(change.at_most.at(1.0), 7);
}

}  // namespace
}  // namespace patchbay::frontends
