#include "async/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace patchbay {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::set_bounds(int threads, int waiting) {
  const std::lock_guard lock(mutex_);
  threads_most_ = threads;
  waiting_most_ = waiting;
  changed_.notify_all();
}

bool ThreadPool::enter(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  const int in_line = static_cast<int>(waiting_.size());
  bool more = in_line >= idle_ && static_cast<int>(threads_.size()) < threads_most_;
  try {
    if (more) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    more = false;
  }
  const int free = std::clamp(threads_most_ - running_, 0, idle_);
  const bool room = !threads_.empty() && in_line < free + waiting_most_;
  if (!more && !room) return false;
  waiting_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock,
                  [this] { return stopping_ || (!waiting_.empty() && running_ < threads_most_); });
    --idle_;
    if (waiting_.empty()) return;
    auto job = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;  // Destroys the objects that it owns outside the lock.
    lock.lock();
    --running_;
  }
}

}  // namespace patchbay
