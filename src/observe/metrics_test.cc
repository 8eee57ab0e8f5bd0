#include "observe/metrics.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "observe/metrics_text.h"

namespace patchbay::metrics {
namespace {

SampledCall sampled_call() {
  return {*trace::parse_trace_id("0af7651916cd43dd8448eb211c80319c"),
          *trace::parse_span_id("b7ad6b7169203331"), 1520879607.789};
}

const Family* find_family(const Snapshot& snapshot, std::string_view name) {
  for (const auto& family : snapshot.families) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

TEST(Metrics, CountersAndGaugesAsPrometheusText) {
  Registry registry;
  registry.counter("calls_total", "Calls.", labels({{"upstream", "a"}}))->add(3);
  registry.gauge("open", "Open\nnow.")->add(-2);
  EXPECT_EQ(prometheus_text(registry.snapshot()),
            "# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{upstream=\"a\"} 3\n"
            "# HELP open Open\\nnow.\n# TYPE open gauge\nopen -2\n");
}

TEST(Metrics, OpenMetricsHasUnitsAndAnEnd) {
  Registry registry;
  registry.counter("cpu_seconds_total", "Time \"used\".")->add(3);
  EXPECT_EQ(openmetrics_text(registry.snapshot()),
            "# HELP cpu_seconds Time \\\"used\\\".\n# TYPE cpu_seconds counter\n"
            "# UNIT cpu_seconds seconds\ncpu_seconds_total 3\n# EOF\n");
}

TEST(Metrics, ExemplarsAreInOpenMetricsOnly) {
  Registry registry;
  const auto histogram = registry.histogram("wait_seconds", "Waited.", "", kWait);
  const SampledCall sampled = sampled_call();
  histogram->observe(0.5, &sampled);
  histogram->observe(0.5);
  histogram->observe(100);
  const auto snapshot = registry.snapshot();
  EXPECT_EQ(prometheus_text(snapshot),
            "# HELP wait_seconds Waited.\n# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{le=\"0.0001\"} 0\nwait_seconds_bucket{le=\"0.001\"} 0\n"
            "wait_seconds_bucket{le=\"0.01\"} 0\nwait_seconds_bucket{le=\"0.1\"} 0\n"
            "wait_seconds_bucket{le=\"1.0\"} 2\nwait_seconds_bucket{le=\"10.0\"} 2\n"
            "wait_seconds_bucket{le=\"+Inf\"} 3\nwait_seconds_sum 101\nwait_seconds_count 3\n");
  EXPECT_NE(openmetrics_text(snapshot).find(
                "wait_seconds_bucket{le=\"1.0\"} 2 # "
                "{trace_id=\"0af7651916cd43dd8448eb211c80319c\",span_id=\"b7ad6b7169203331\"} 0.5 "
                "1520879607.789\n"),
            std::string::npos);
}

TEST(Metrics, AValueAtABoundIsWithinIt) {
  Registry registry;
  const auto histogram = registry.histogram("size_bytes", "Size.", "", kSize);
  histogram->observe(256);
  histogram->observe(257);
  const auto snapshot = registry.snapshot();
  const auto& series = find_family(snapshot, "size_bytes")->series.front();
  EXPECT_EQ(series.buckets[0].count, 1U);
  EXPECT_EQ(series.buckets[1].count, 1U);
  EXPECT_EQ(series.sum, 513);
}

TEST(Metrics, ForeignLabelsCannotBreakTheText) {
  const std::string hostile("a\"\\\n\r\0\xff\xc3(é", 11);
  const std::string text = labels({{"tool", hostile}});
  EXPECT_EQ(text,
            "tool=\"a\\\"\\\\\\n?"
            "??"
            "?(\xc3\xa9\"");
  EXPECT_EQ(label_pairs(text), (std::vector<Label>{{"tool", "a\"\\\n?\?\?\?(\xc3\xa9"}}));
  EXPECT_EQ(labels({{"tool", std::string(10'000, 'x')}}).size(), 256 + 7U);
  EXPECT_EQ(label_pairs("a=\"x\",b=\"\""), (std::vector<Label>{{"a", "x"}, {"b", ""}}));
}

TEST(Metrics, WatchedReadingsOfOneNameAreOneFamily) {
  Registry registry;
  registry.watch_gauge("sessions", "Open.", [] { return 1; }, labels({{"transport", "http"}}));
  registry.watch_gauge("sessions", "Open.", [] { return 2.5; }, labels({{"transport", "sse"}}));
  registry.watch_gauges("none", "Nothing.", [] { return std::vector<Reading>(); });
  EXPECT_EQ(prometheus_text(registry.snapshot()),
            "# HELP sessions Open.\n# TYPE sessions gauge\nsessions{transport=\"http\"} 1\n"
            "sessions{transport=\"sse\"} 2.5\n");
}

// The first threads have a cell each, and the others share some.
TEST(Metrics, NothingIsLostBetweenManyThreads) {
  constexpr int kThreads = 40;
  constexpr int kTimes = 5'000;
  Registry registry;
  const auto counter = registry.counter("a_total", "A.");
  const auto gauge = registry.gauge("b", "B.");
  const auto histogram = registry.histogram("c_seconds", "C.");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kTimes; ++n) {
          counter->add();
          gauge->add(n % 2 == 0 ? 3 : -1);
          histogram->observe(0.5);
        }
      });
    }
  }
  EXPECT_EQ(counter->value(), std::uint64_t{kThreads * kTimes});
  EXPECT_EQ(gauge->value(), kThreads * kTimes);
  const auto snapshot = registry.snapshot();
  EXPECT_EQ(find_family(snapshot, "c_seconds")->series.front().count,
            std::uint64_t{kThreads * kTimes});
}

// Code that is read may add series at the same time.
TEST(Metrics, AReadingMayUseTheRegistry) {
  Registry registry;
  registry.watch_gauge("a", "A.", [&registry] {
    registry.counter("b_total", "B.")->add();
    return 1;
  });
  EXPECT_TRUE(find_family(registry.snapshot(), "a"));
  EXPECT_TRUE(find_family(registry.snapshot(), "b_total"));
}

// The series of a family, as `labels value`.
std::string series_of(const Registry& registry, std::string_view family) {
  const auto snapshot = registry.snapshot();
  std::string all;
  for (const auto& series : find_family(snapshot, family)->series) {
    all += series.labels + " " + std::to_string(static_cast<int>(series.value)) + "; ";
  }
  return all;
}

TEST(Metrics, AMergedSeriesCountsInAnother) {
  Registry registry;
  const auto counter = [&](const std::string& labels) {
    return registry.counter("c_total", "C.", labels);
  };
  auto old = counter("a=\"x\",b=\"1\"");
  old->add(3);
  counter("a=\"x\",b=\"2\"")->add(5);
  counter("a=\"other\",b=\"1\"")->add(10);
  counter("a=\"xy\",b=\"1\"")->add(1);
  registry.merge("c_total", "a=\"x\"", "a=\"other\"");
  const std::string xy = "a=\"xy\",b=\"1\" 1; ";
  EXPECT_EQ(series_of(registry, "c_total"), "a=\"other\",b=\"1\" 13; a=\"other\",b=\"2\" 5; " + xy);
  // Somebody still adds to it.
  old->add(4);
  EXPECT_EQ(series_of(registry, "c_total"), "a=\"other\",b=\"1\" 17; a=\"other\",b=\"2\" 5; " + xy);
  old.reset();
  registry.merge("c_total", "a=\"none\"", "a=\"other\"");
  EXPECT_EQ(series_of(registry, "c_total"), "a=\"other\",b=\"1\" 17; a=\"other\",b=\"2\" 5; " + xy);
  counter("a=\"x\",b=\"1\"")->add(1);
  EXPECT_EQ(series_of(registry, "c_total"),
            "a=\"other\",b=\"1\" 17; a=\"other\",b=\"2\" 5; a=\"x\",b=\"1\" 1; " + xy);
}

TEST(Metrics, AMergedHistogramCountsInAnother) {
  Registry registry;
  const auto histogram = [&](const std::string& labels) {
    return registry.histogram("h_seconds", "H.", labels, kCoarse);
  };
  auto old = histogram("a=\"x\"");
  old->observe(0.002);
  registry.merge("h_seconds", "a=\"x\"", "a=\"other\"");
  old->observe(20);
  for (int i = 0; i < 2; ++i) {  // Once while it is used, once added up.
    const auto snapshot = registry.snapshot();
    const auto& series = find_family(snapshot, "h_seconds")->series;
    ASSERT_EQ(series.size(), 1U);
    EXPECT_EQ(series[0].labels, "a=\"other\"");
    EXPECT_EQ(series[0].count, 2U);
    EXPECT_NEAR(series[0].sum, 20.002, 1e-6);
    EXPECT_EQ(series[0].buckets[1].count, 1U);
    old.reset();
    registry.merge("h_seconds", "a=\"none\"", "a=\"other\"");
  }
}

}  // namespace
}  // namespace patchbay::metrics
