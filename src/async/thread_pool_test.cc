#include "async/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>

#include "async/scope.h"
#include "testing/manual_executor.h"

namespace patchbay {
namespace {

class ThreadPoolTest : public ::testing::Test {
 protected:
  // `work` as a job; its code is stored once it has ended.
  Task<void> job(std::function<void()> work) {
    auto done = pool_.run<int>([work = std::move(work)]() -> Result<int> {
      work();
      return 1;
    });
    auto result = co_await done;
    ++ended_;
    if (!result && result.error().code == Code::overloaded) ++refused_;
    co_return ok();
  }

  void spawn(std::function<void()> work) {
    scope_.spawn(job(std::move(work)));
    executor_.run();
  }

  void wait_until(const std::function<bool()>& true_now) {
    while (!true_now()) {
      executor_.run();
      std::this_thread::yield();
    }
  }

  testing::ManualExecutor executor_;
  ThreadPool pool_{2, 2};
  Scope scope_;
  int ended_ = 0;
  int refused_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<bool> go_on_ = false;
};

TEST_F(ThreadPoolTest, BoundsWhatRunsAndWhatWaits) {
  const auto hold = [this] {
    ++running_;
    go_on_.wait(false);
  };
  for (int i = 0; i < 2; ++i) spawn(hold);
  wait_until([this] { return running_ == 2; });
  for (int i = 0; i < 3; ++i) spawn(hold);
  EXPECT_EQ(refused_, 1);
  go_on_ = true;
  go_on_.notify_all();
  wait_until([this] { return ended_ == 5; });
  EXPECT_EQ(running_, 4);
}

TEST_F(ThreadPoolTest, LowerBoundsApplyToTheNextJobs) {
  const auto hold = [this] {
    ++running_;
    go_on_.wait(false);
  };
  for (int i = 0; i < 2; ++i) spawn(hold);
  wait_until([this] { return running_ == 2; });
  pool_.set_bounds(1, 3);
  go_on_ = true;
  go_on_.notify_all();
  wait_until([this] { return ended_ == 2; });
  std::atomic<int> together = 0;
  std::atomic<int> most = 0;
  for (int i = 0; i < 4; ++i) {
    spawn([&] {
      most = std::max(most.load(), ++together);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --together;
    });
  }
  wait_until([this] { return ended_ == 6; });
  EXPECT_EQ(refused_, 0);
  EXPECT_EQ(most, 1);
}

TEST_F(ThreadPoolTest, HigherBoundsApplyToWaitingJobs) {
  pool_.set_bounds(1, 2);
  const auto hold = [this] {
    ++running_;
    go_on_.wait(false);
  };
  for (int i = 0; i < 2; ++i) spawn(hold);
  wait_until([this] { return running_ == 1; });
  pool_.set_bounds(2, 2);
  spawn(hold);
  wait_until([this] { return running_ == 2; });
  go_on_ = true;
  go_on_.notify_all();
  wait_until([this] { return ended_ == 3; });
}

}  // namespace
}  // namespace patchbay
