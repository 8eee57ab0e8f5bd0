#include "mcp_client/notification_rate.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

using enum NotificationRate::Verdict;
using std::chrono::seconds;

TEST(NotificationRate, DropsWhatIsAboveAndLogsOncePerPeriod) {
  NotificationRate rate(2);
  const Deadline start = Deadline() + seconds(1000);
  EXPECT_EQ(rate.evaluate(start), pass);
  EXPECT_EQ(rate.evaluate(start), pass);
  EXPECT_EQ(rate.evaluate(start), drop_and_log);
  EXPECT_EQ(rate.take_dropped(), 1U);
  EXPECT_EQ(rate.evaluate(start), drop);
  EXPECT_EQ(rate.evaluate(start + seconds(1)), pass);
  EXPECT_EQ(rate.evaluate(start + seconds(1)), pass);
  EXPECT_EQ(rate.evaluate(start + seconds(1)), drop);
  EXPECT_EQ(rate.evaluate(start + seconds(10)), pass);
  EXPECT_EQ(rate.evaluate(start + seconds(10)), pass);
  EXPECT_EQ(rate.evaluate(start + seconds(10)), drop_and_log);
  EXPECT_EQ(rate.take_dropped(), 3U);
}

TEST(NotificationRate, ZeroIsNoBound) {
  NotificationRate rate(0);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(rate.evaluate(Deadline()), pass);
}

}  // namespace
}  // namespace patchbay::upstreams
