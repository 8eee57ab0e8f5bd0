#include "gateway/call/call_metrics.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

// Two workers that count in the same registry.
class CallMetricsTest : public ::testing::Test {
 protected:
  CallMetricsTest() {
    for (CallMetrics* const worker : {&one_, &two_}) worker->set_max_names(2);
  }

  static void call(CallMetrics& worker, std::string_view tool, int times = 1) {
    const std::string upstream = "u";
    for (int i = 0; i < times; ++i) {
      worker.count({.upstream = upstream,
                    .tool = tool,
                    .client = "c",
                    .frontend = "mcp",
                    .outcome = Outcome::ok,
                    .seconds = 0.01,
                    .bytes_in = 1,
                    .bytes_out = 1});
    }
  }

  void rank() {
    report();
    report();
  }

  void report() {
    now_ += metrics::TopNames::kInterval;
    for (CallMetrics* const worker : {&one_, &two_}) worker->rank_names(now_);
  }

  // `tool=count` of each series; the durations must agree.
  std::string tools() const {
    std::string counts;
    std::string durations;
    for (const auto& family : registry_.snapshot().families) {
      const bool counters = family.name == "patchbay_tool_calls_total";
      if (!counters && family.name != "patchbay_tool_call_seconds") continue;
      for (const auto& series : family.series) {
        const auto count = counters ? static_cast<std::uint64_t>(series.value) : series.count;
        (counters ? counts : durations) +=
            metrics::label_pairs(series.labels).front().second + "=" + std::to_string(count) + " ";
      }
    }
    EXPECT_EQ(counts, durations);
    return counts;
  }

  metrics::Registry registry_;
  CallMetrics one_{registry_};
  CallMetrics two_{registry_};
  Deadline now_ = Deadline(std::chrono::hours(1));
};

TEST_F(CallMetricsTest, NamesBeyondTheBoundAreCountedTogether) {
  for (const char* const tool : {"a", "b", "c", "d", "other"}) call(one_, tool);
  call(two_, "a");
  call(two_, "c");
  EXPECT_EQ(tools(), "a=2 b=1 other=4 ");
}

TEST_F(CallMetricsTest, ABusyNameTakesTheSlotOfAnIdleOne) {
  call(one_, "a", 5);
  call(one_, "b", 50);
  call(two_, "a", 2);
  call(two_, "c", 100);
  EXPECT_EQ(tools(), "a=7 b=50 other=100 ");
  rank();
  EXPECT_EQ(tools(), "b=50 other=107 ");
  call(one_, "c", 3);
  call(two_, "c", 4);
  call(two_, "a", 1);
  EXPECT_EQ(tools(), "b=50 c=7 other=108 ");
}

TEST_F(CallMetricsTest, ANameThatComesBackBeginsAtZero) {
  call(one_, "a", 5);
  call(one_, "b", 50);
  call(one_, "c", 100);
  rank();
  call(two_, "a", 1'000);
  rank();
  call(two_, "a", 1);
  EXPECT_EQ(tools(), "a=1 other=1155 ");
}

// A worker learns later that a name has lost its slot; nothing that it counts is lost.
TEST_F(CallMetricsTest, NothingIsLostWhileWorkersDisagree) {
  call(two_, "a", 2);
  call(two_, "b", 50);
  call(one_, "c", 100);
  report();
  now_ += metrics::TopNames::kInterval;
  one_.rank_names(now_);
  EXPECT_EQ(tools(), "b=50 other=102 ");
  call(two_, "a", 3);
  EXPECT_EQ(tools(), "b=50 other=105 ");
  const std::string upstream = "u";
  two_.count({.upstream = upstream,
              .tool = "a",
              .client = "c",
              .frontend = "mcp",
              .outcome = Outcome::tool_error,
              .seconds = 1,
              .bytes_in = 1,
              .bytes_out = 1});
  two_.rank_names(now_);
  for (const auto& family : registry_.snapshot().families) {
    if (family.name != "patchbay_tool_calls_total") continue;
    for (const auto& series : family.series) EXPECT_FALSE(series.labels.contains("\"a\""));
  }
}

}  // namespace
}  // namespace patchbay::gateway
