// Which starts are ended: those without progress.
#include "upstreams/mcp/start_watch.h"

#include <gtest/gtest.h>

#include "testing/manual_executor.h"

namespace patchbay::upstreams {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StartWatch, EndsAStartWithoutProgress) {
  testing::ManualExecutor executor;
  Stop stop;
  const StartWatch watch("up", seconds(1), [] { return Deadline(); }, stop);
  executor.pass(milliseconds(900));
  executor.run();
  EXPECT_FALSE(stop.requested());
  executor.pass(milliseconds(200));
  executor.run();
  EXPECT_TRUE(stop.requested());
  EXPECT_TRUE(watch.expired());
}

TEST(StartWatch, EachSignOfProgressGivesTheTimeAgain) {
  testing::ManualExecutor executor;
  Stop stop;
  Deadline last{};
  const StartWatch watch("up", seconds(1), [&last] { return last; }, stop);
  for (int i = 0; i < 10; ++i) {
    executor.pass(milliseconds(800));
    last = executor.now();
    executor.run();
  }
  EXPECT_FALSE(stop.requested()) << "eight seconds, with progress";
  executor.pass(milliseconds(1200));
  executor.run();
  EXPECT_TRUE(stop.requested());
}

}  // namespace
}  // namespace patchbay::upstreams
