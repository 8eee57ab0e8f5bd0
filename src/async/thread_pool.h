// A ThreadPool runs blocking or long work on threads of its own, so that no worker is held up. As
// many jobs run at once as there are threads; a bounded number waits; the rest is refused.
//
// run() may be called on any thread with an executor, which waits there. Threads are started by the
// first jobs that need them; lower bounds leave them idle.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "async/one_shot.h"

namespace patchbay {

class ThreadPool {
 public:
  ThreadPool(int threads, int waiting) : threads_most_(threads), waiting_most_(waiting) {}
  ~ThreadPool();  // Waits until every job is done.

  // Applies to jobs that have not begun.
  void set_bounds(int threads, int waiting);

  // The result of `work`. Code::overloaded if too many jobs are queued. `work` must own its data,
  // because it always runs to its end, even when the waiting task is stopped.
  template <class T>
  Task<T> run(std::function<Result<T>()> work) {
    struct Job {
      Executor& from;
      std::function<Result<T>()> work;
      OneShot<T> answer = {};
    };
    std::shared_ptr<Job> job(new Job{here(), std::move(work)});
    const bool entered = enter([job] {
      auto result = job->work();
      job->from.post(
          [job, result = std::move(result)]() mutable { job->answer.deliver(std::move(result)); });
    });
    if (!entered)
      co_return Error{Code::overloaded, "too many jobs are queued; try again in a moment"};
    auto wait = job->answer.wait();
    wait.ignore_stop();
    co_return co_await wait;
  }

 private:
  bool enter(std::function<void()> job);
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  int threads_most_;
  int waiting_most_;
  std::deque<std::function<void()>> waiting_;
  int idle_ = 0;     // Threads that wait for a job.
  int running_ = 0;  // Jobs.
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace patchbay
