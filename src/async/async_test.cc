// Tests of tasks, cancellation, deadlines, scopes and hops, on an executor driven by hand.
#include <gtest/gtest.h>

#include <thread>

#include "async/hop.h"
#include "async/one_shot.h"
#include "async/scope.h"
#include "core/text.h"
#include "testing/manual_executor.h"

namespace patchbay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualExecutor;

Task<int> half(int n) {
  if (n % 2 != 0) co_return Error{Code::invalid_params, "odd"};
  co_return n / 2;
}

Task<int> quarter(int n) {
  auto once = co_await half(n);
  if (!once) co_return once.error();
  co_return co_await half(*once);
}

Task<void> keep(Task<int> task, Result<int>& slot) {
  slot = co_await task;
  co_return ok();
}

TEST(Task, YieldsValuesAndErrors) {
  ManualExecutor executor;
  Scope scope;
  Result<int> good;
  Result<int> bad;
  scope.spawn(keep(quarter(12), good));
  scope.spawn(keep(quarter(6), bad));
  EXPECT_TRUE(scope.empty());
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "odd");
}

Task<int> receive(OneShot<int>& slot, Deadline deadline) { co_return co_await slot.wait(deadline); }

TEST(OneShot, DeliversBeforeAndAfterTheWaitBegins) {
  ManualExecutor executor;
  Scope scope;
  OneShot<int> early;
  OneShot<int> late;
  early.deliver(1);
  Result<int> first;
  Result<int> second;
  scope.spawn(keep(receive(early, kNever), first));
  scope.spawn(keep(receive(late, kNever), second));
  EXPECT_FALSE(second);
  late.deliver(2);
  late.deliver(3);
  executor.run();
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(*second, 2);
}

TEST(OneShot, TimesOutAndThenIgnoresTheValue) {
  ManualExecutor executor;
  Scope scope;
  OneShot<int> slot;
  Result<int> result;
  scope.spawn(keep(receive(slot, executor.now() + seconds(1)), result));
  executor.pass(milliseconds(900));
  EXPECT_FALSE(scope.empty());
  executor.pass(milliseconds(200));
  ASSERT_TRUE(scope.empty());
  EXPECT_EQ(result.error().code, Code::timeout);
  slot.deliver(1);
  executor.run();
}

TEST(Scope, CancelsWaitsAndEveryLaterWait) {
  ManualExecutor executor;
  Scope scope;
  std::vector<Code> seen;
  auto waits_twice = [&]() -> Task<void> {
    for (int i = 0; i < 2; ++i) {
      OneShot<int> never;
      auto result = co_await never.wait();
      seen.push_back(result.error().code);
    }
    co_return ok();
  };
  scope.spawn(waits_twice());
  scope.cancel();
  executor.run();
  EXPECT_TRUE(scope.empty());
  EXPECT_EQ(seen, (std::vector{Code::cancelled, Code::cancelled}));
}

TEST(Scope, DrainWaitsForTheLastTask) {
  ManualExecutor executor;
  Scope scope;
  Scope outer;
  OneShot<int> slot;
  Result<int> result;
  bool drained = false;
  scope.spawn(keep(receive(slot, kNever), result));
  auto drain = [&]() -> Task<void> {
    auto done = co_await scope.drain(kNever);
    drained = static_cast<bool>(done);
    co_return done;
  };
  outer.spawn(drain());
  executor.run();
  EXPECT_FALSE(drained);
  slot.deliver(1);
  executor.run();
  EXPECT_TRUE(drained);
}

TEST(Scope, FinishCancelsWhatIsNotDoneByTheDeadline) {
  ManualExecutor executor;
  Scope scope;
  Scope outer;
  OneShot<int> slot;
  OneShot<int> never;
  Result<int> in_time;
  Result<int> late;
  bool finished = false;
  scope.spawn(keep(receive(slot, kNever), in_time));
  scope.spawn(keep(receive(never, kNever), late));
  auto finish = [&]() -> Task<void> {
    auto done = co_await scope.finish(here().now() + std::chrono::seconds(1));
    finished = static_cast<bool>(done);
    co_return done;
  };
  outer.spawn(finish());
  slot.deliver(1);
  executor.run();
  EXPECT_FALSE(finished);
  executor.pass(std::chrono::seconds(2));
  EXPECT_TRUE(finished);
  EXPECT_EQ(*in_time, 1);
  EXPECT_EQ(late.error().code, Code::cancelled);
}

TEST(Scope, SeveralMayWaitForTheEnd) {
  ManualExecutor executor;
  Scope scope;
  Scope outer;
  OneShot<int> slot;
  Result<int> result;
  std::vector<std::string> ended;
  scope.spawn(keep(receive(slot, kNever), result));
  auto drain = [&](Deadline deadline) -> Task<void> {
    auto done = co_await scope.drain(deadline);
    ended.push_back(done ? "done" : done.error().message);
    co_return done;
  };
  outer.spawn(drain(kNever));
  outer.spawn(drain(here().now() + std::chrono::seconds(1)));
  outer.spawn(drain(kNever));
  executor.pass(std::chrono::seconds(2));
  EXPECT_EQ(ended, std::vector<std::string>{"the deadline passed"});
  slot.deliver(1);
  executor.run();
  EXPECT_TRUE(outer.empty());
  EXPECT_EQ(ended, (std::vector<std::string>{"the deadline passed", "done", "done"}));
}

TEST(Timers, FireInEveryRoundOfTheWheelAndNeverEarly) {
  ManualExecutor executor;
  Scope scope;
  std::vector<int> fired;
  auto sleeper = [&](int seconds_from_now) -> Task<void> {
    auto slept = co_await sleep_until(executor.now() + seconds(seconds_from_now));
    if (slept) fired.push_back(seconds_from_now);
    co_return ok();
  };
  for (const int s : {200, 1, 65, 66, 3600}) scope.spawn(sleeper(s));
  for (int i = 0; i < 64; ++i) executor.pass(seconds(1));
  EXPECT_EQ(fired, (std::vector{1}));
  for (int i = 64; i < 201; ++i) executor.pass(seconds(1));
  EXPECT_EQ(fired, (std::vector{1, 65, 66, 200}));
  executor.pass(seconds(4000));
  EXPECT_TRUE(scope.empty());
}

TEST(Hop, RunsOnTheOtherThreadAndCarriesTheStop) {
  ManualExecutor near;
  testing::ThreadExecutor far;  // Ends first: until then it may write to the other.
  Scope scope;
  Result<int> value;
  Result<int> stopped;
  std::thread::id where;
  auto remote = [&]() -> Task<int> {
    where = std::this_thread::get_id();
    co_return 7;
  };
  auto endless = []() -> Task<int> {
    OneShot<int> never;
    co_return co_await never.wait();
  };
  scope.spawn(keep(hop<int>(far, remote), value));
  scope.spawn(keep(hop<int>(far, endless), stopped));
  while (scope.size() > 1) near.run();
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 7);
  EXPECT_EQ(where, far.thread_id());
  scope.cancel();
  while (!scope.empty()) near.run();
  EXPECT_EQ(stopped.error().code, Code::cancelled);
}

TEST(Result, IsCopiedWithItsError) {
  const Result<void> good = ok();
  const Result<void> failed = Error{Code::timeout, "late"};
  const Result<int> number = 3;
  const Result<int> none;
  EXPECT_TRUE(Result<void>(good));
  EXPECT_EQ(Result<void>(failed).error().message, "late");
  EXPECT_EQ(failed.error().code, Code::timeout);
  EXPECT_EQ(*Result<int>(number), 3);
  EXPECT_EQ(Result<int>(none).error().message, "no value");
  EXPECT_EQ(Result<void>().error().code, Code::internal);
}

TEST(Stretch, GivesTheSizeThatIsAskedFor) {
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text = "kept";
    stretch(text, size + 4);
    EXPECT_EQ(text.size(), size + 4);
    EXPECT_TRUE(text.starts_with("kept"));
  }
}

}  // namespace
}  // namespace patchbay
