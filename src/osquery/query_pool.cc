#include "osquery/query_pool.h"

#include <algorithm>
#include <system_error>

namespace patchbay::osquery {

// Ends a query when the task that waits for it is stopped.
class QueryPool::Cancel final : public Stop::Hook {
 public:
  explicit Cancel(std::shared_ptr<Job> job) : job_(std::move(job)) {}
  void on_stop() override { job_->query.cancelled = true; }

 private:
  const std::shared_ptr<Job> job_;
};

QueryPool::QueryPool(const Settings& settings, const TablePolicy& policy, const Machine& machine)
    : settings_(settings), policy_(policy), machine_(machine) {}

QueryPool::~QueryPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& job : running_) job->query.cancelled = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

Task<std::string> QueryPool::run(std::string sql, Format format, Deadline deadline) {
  Stop* const stop = co_await current_stop();
  if (stop && stop->requested()) co_return Error{Code::cancelled, "cancelled"};
  auto job = std::make_shared<Job>(here());
  job->query.sql = std::move(sql);
  job->query.format = format;
  job->query.deadline = deadline;
  if (!enter(job)) co_return Error{Code::overloaded, "too many queries are waiting"};
  changed_.notify_one();
  Cancel cancel(job);
  if (stop) cancel.link(*stop);
  // Deaf to the task's own Stop: the query hears it, ends soon, and says so.
  auto wait = job->answer.wait();
  wait.ignore_stop();
  co_return co_await wait;
}

// Puts the job in line, with another thread for it if there may be one. False if there is no place.
bool QueryPool::enter(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  const int in_line = static_cast<int>(waiting_.size());
  bool more = in_line >= idle_ && static_cast<int>(threads_.size()) < settings_.queries;
  try {
    if (more) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    more = false;
  }
  const bool place = !threads_.empty() && in_line < idle_ + settings_.waiting;
  if (!more && !place) return false;
  waiting_.push_back(job);
  return true;
}

std::shared_ptr<QueryPool::Job> QueryPool::next() {
  std::unique_lock lock(mutex_);
  ++idle_;
  changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  --idle_;
  if (waiting_.empty()) return nullptr;
  auto job = std::move(waiting_.front());
  waiting_.pop_front();
  if (stopping_) job->query.cancelled = true;
  running_.push_back(job);
  return job;
}

void QueryPool::work() {
  auto database = Database::open(settings_, policy_, machine_);
  while (auto job = next()) {
    Result<std::string> rows =
        database ? (*database)->run(job->query) : Result<std::string>(database.error());
    {
      const std::lock_guard lock(mutex_);
      std::erase(running_, job);
    }
    Executor& from = job->from;
    auto deliver = [job = std::move(job), rows = std::move(rows)]() mutable {
      job->answer.deliver(std::move(rows));
    };
    from.post(std::move(deliver));
  }
}

}  // namespace patchbay::osquery
