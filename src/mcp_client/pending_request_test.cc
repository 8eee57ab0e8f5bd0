// Tests of the clock of a request that waits, on an executor driven by hand.
#include "mcp_client/pending_request.h"

#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::upstreams {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;

TEST(PendingRequest, TimesOutAtItsDeadline) {
  ManualExecutor executor;
  PendingRequest pending;
  pending.start_clock(here().now() + seconds(10));
  executor.pass(seconds(9));
  EXPECT_FALSE(pending.answer.delivered());
  executor.pass(seconds(2));
  EXPECT_TRUE(pending.answer.delivered());
}

TEST(PendingRequest, TheClockStandsStillWhileTheClientThinks) {
  ManualExecutor executor;
  PendingRequest pending;
  pending.start_clock(here().now() + seconds(10));
  executor.pass(seconds(4));
  pending.begin_question(seconds(60));
  executor.pass(seconds(50));
  EXPECT_FALSE(pending.answer.delivered());
  pending.end_question();
  executor.pass(seconds(5));
  EXPECT_FALSE(pending.answer.delivered());  // Six seconds were left.
  executor.pass(seconds(2));
  EXPECT_TRUE(pending.answer.delivered());
}

TEST(PendingRequest, AnAnsweredQuestionDoesNotCountAsTheAnswer) {
  ManualExecutor executor;
  PendingRequest pending;
  pending.start_clock(here().now() + seconds(10));
  pending.begin_question(seconds(60));
  pending.end_question();
  executor.run();
  EXPECT_FALSE(pending.answer.delivered());
}

TEST(PendingRequest, QuestionsAtTheSameTimeDoNotLengthenTheCall) {
  ManualExecutor executor;
  PendingRequest pending;
  pending.start_clock(here().now() + seconds(10));
  pending.begin_question(seconds(60));
  pending.begin_question(seconds(60));
  executor.pass(seconds(30));
  pending.end_question();
  executor.pass(seconds(20));
  EXPECT_FALSE(pending.answer.delivered());  // One is still open.
  pending.end_question();
  executor.pass(seconds(11));
  EXPECT_TRUE(pending.answer.delivered());
}

TEST(PendingRequest, AClientThatDoesNotAnswerEndsTheCall) {
  ManualExecutor executor;
  PendingRequest pending;
  pending.start_clock(here().now() + seconds(10));
  pending.begin_question(seconds(60));
  executor.pass(seconds(69));
  EXPECT_FALSE(pending.answer.delivered());  // The clock goes on after a minute.
  executor.pass(seconds(2));
  EXPECT_TRUE(pending.answer.delivered());
}

TEST(PendingRequest, ProgressRestartsTheClock) {
  ManualExecutor executor;
  testing::FakeCall made(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  made.call.deadline = here().now() + seconds(10);
  made.call.clock = {.limit = seconds(10),
                     .setting = "limits.call_timeout",
                     .total = seconds(25),
                     .latest = here().now() + seconds(25)};
  PendingRequest pending;
  pending.call = &made.call;
  pending.start_clock(made.call.deadline);
  for (int i = 0; i < 2; ++i) {
    executor.pass(seconds(8));
    EXPECT_FALSE(pending.answer.delivered());
    pending.restart_clock();
  }
  executor.pass(seconds(8));
  EXPECT_FALSE(pending.answer.delivered());
  pending.restart_clock();  // One second of the total is left.
  executor.pass(seconds(2));
  EXPECT_TRUE(pending.answer.delivered());
}

TEST(PendingRequest, ProgressWhileTheClientThinks) {
  ManualExecutor executor;
  testing::FakeCall made(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  made.call.deadline = here().now() + seconds(10);
  made.call.clock = {.limit = seconds(10), .total = seconds(100), .latest = kNever};
  PendingRequest pending;
  pending.call = &made.call;
  pending.start_clock(made.call.deadline);
  executor.pass(seconds(9));
  pending.begin_question(seconds(60));
  pending.restart_clock();
  executor.pass(seconds(30));
  pending.end_question();
  executor.pass(seconds(9));
  EXPECT_FALSE(pending.answer.delivered());  // Ten seconds again since the question.
  executor.pass(seconds(2));
  EXPECT_TRUE(pending.answer.delivered());
}

TEST(PendingRequest, WithoutADeadlineItWaitsOn) {
  ManualExecutor executor;
  PendingRequest pending;
  pending.start_clock(kNever);
  pending.begin_question(seconds(1));
  pending.end_question();
  executor.pass(std::chrono::hours(100));
  EXPECT_FALSE(pending.answer.delivered());
}

}  // namespace
}  // namespace patchbay::upstreams
