// Tests of how long a call may take, on an executor driven by hand.
#include "gateway/call/clock.h"

#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeCall;
using testing::ManualExecutor;

struct CallClockTest : ::testing::Test {
  CallClockTest() {
    call.deadline = here().now() + seconds(30);
    call.clock = {.limit = seconds(30),
                  .setting = "limits.call_timeout",
                  .total = seconds(100),
                  .latest = here().now() + seconds(100)};
    call.upstream = "far";
  }

  std::string named(Code code = Code::timeout) const {
    Error error{code, "late"};
    name_limit(call, error);
    return error.message;
  }

  ManualExecutor executor;
  FakeCall made{R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}})"};
  Call& call = made.call;
};

TEST_F(CallClockTest, ProgressGivesTheWholeTimeAgain) {
  executor.pass(seconds(20));
  EXPECT_EQ(restart_clock(call), here().now() + seconds(30));
  EXPECT_EQ(call.deadline, here().now() + seconds(30));
}

TEST_F(CallClockTest, ProgressDoesNotHelpBeyondTheTotal) {
  const Deadline latest = here().now() + seconds(100);
  for (int i = 0; i < 20; ++i) {
    executor.pass(seconds(5));
    EXPECT_LE(restart_clock(call), latest);
  }
  EXPECT_EQ(call.deadline, latest);
  EXPECT_EQ(named(), "late (limits.max_call_timeout: 1m40s)");
}

TEST_F(CallClockTest, ProgressNeverShortens) {
  call.deadline = kNever;
  EXPECT_EQ(restart_clock(call), kNever);
  call.clock.limit = milliseconds(0);
  call.deadline = here().now() + seconds(1);
  EXPECT_EQ(restart_clock(call), here().now() + seconds(1));
}

TEST_F(CallClockTest, AnUpstreamHasItsOwnLimit) {
  set_limit(call, seconds(60), "timeout");
  EXPECT_EQ(call.deadline, here().now() + seconds(60));
  set_limit(call, std::chrono::hours(1), "timeout");
  EXPECT_EQ(call.deadline, here().now() + seconds(100));
}

TEST_F(CallClockTest, WhatAPersonTakesDoesNotCount) {
  executor.pass(seconds(50));
  pause_clock(call, seconds(50));
  EXPECT_EQ(call.deadline, here().now() + seconds(30));
  EXPECT_EQ(call.clock.latest, here().now() + seconds(100));
  call.deadline = call.clock.latest = kNever;
  pause_clock(call, seconds(50));
  EXPECT_EQ(call.deadline, kNever);
  EXPECT_EQ(call.clock.latest, kNever);
}

TEST_F(CallClockTest, TheErrorNamesTheSetting) {
  EXPECT_EQ(named(), "late");  // Something else took too long.
  executor.pass(seconds(31));
  EXPECT_EQ(named(), "late (limits.call_timeout: 30s)");
  EXPECT_EQ(named(Code::unavailable), "late");
  set_limit(call, milliseconds(1500), "tools.timeout");
  executor.pass(seconds(2));
  EXPECT_EQ(named(), "late (tools.timeout of the upstream far: 1s500ms)");
}

}  // namespace
}  // namespace patchbay::gateway
