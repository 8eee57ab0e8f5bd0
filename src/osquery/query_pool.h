// The QueryPool runs queries over the built-in tables on threads of its own, since they block. As
// many run at once as there are threads; a bounded number waits; the rest is refused.
//
// run() may be called on any worker, where it waits.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/wait.h"
#include "osquery/database.h"

namespace patchbay::osquery {

class QueryPool {
 public:
  // REQUIRES: settings, policy and machine outlive the pool.
  QueryPool(const Settings& settings, const TablePolicy& policy, const Machine& machine);

  // Ends what runs and waits for it.
  ~QueryPool();

  // The rows of the query as text; see Database::run(). Ends the query when the task is stopped.
  Task<std::string> run(std::string sql, Format format, Deadline deadline);

 private:
  // Shared by the thread that asks and the one that answers; each part is touched by one of them.
  struct Job {
    explicit Job(Executor& executor) : from(executor) {}
    Executor& from;
    Query query;                  // The answering thread, but for `cancelled`.
    OneShot<std::string> answer;  // The asking thread.
  };

  class Cancel;

  bool enter(const std::shared_ptr<Job>& job);
  void work();
  std::shared_ptr<Job> next();

  const Settings& settings_;
  const TablePolicy& policy_;
  const Machine& machine_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::shared_ptr<Job>> running_;
  int idle_ = 0;
  bool stopping_ = false;

  std::vector<std::thread> threads_;  // Started when first needed.
};

}  // namespace patchbay::osquery
