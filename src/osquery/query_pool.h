// The QueryPool runs queries over the built-in tables in processes of their own (query_process.h),
// one query at a time in each. A process is kept for the next query, unless it had to be ended:
// because the query took too long, needed too much, or was cancelled.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/scope.h"
#include "osquery/rows.h"
#include "osquery/settings.h"

namespace patchbay::osquery {

class QueryPool {
 public:
  // REQUIRES: the settings outlive the pool.
  explicit QueryPool(const Settings& settings);
  ~QueryPool();  // REQUIRES: stopped, if anything was run.

  // The rows of the query as text. Code::timeout and Code::too_large say that the query was cut,
  // Code::forbidden that it may not be asked, Code::invalid_params that it is wrong,
  // Code::internal that its process has died of it.
  Task<std::string> run(std::string_view sql, Format format, Deadline deadline);

  // Ends the processes. REQUIRES: nothing runs.
  Task<void> stop(Deadline deadline);

 private:
  struct Process;

  Result<std::unique_ptr<Process>> take();
  // Code::unavailable if the process ends instead of answering.
  Task<std::string> ask(Process& process, std::string_view sql, Format format, Deadline deadline,
                        bool& usable);
  // Why the query has no answer, when the process has ended by itself.
  Task<std::string> explain(Process& process);
  Task<void> end(std::unique_ptr<Process> process);

  const Settings& settings_;
  const std::string settings_text_;
  std::vector<std::unique_ptr<Process>> idle_;
  Scope ending_;
};

}  // namespace patchbay::osquery
