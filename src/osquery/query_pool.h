// The QueryPool runs queries over the built-in tables in separate processes (query_process.h), one
// query at a time in each. A process is reused for the next query, unless it was killed because the
// query took too long, needed too much, or was cancelled.
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

  // The rows of the query as text. Code::timeout and Code::too_large: the query was aborted;
  // Code::forbidden: it is not permitted; Code::invalid_params: it is wrong; Code::internal: its
  // process crashed.
  Task<std::string> run(std::string_view sql, Format format, Deadline deadline);

  // Ends the processes. REQUIRES: nothing runs.
  Task<void> stop(Deadline deadline);

 private:
  struct Process;

  Result<std::unique_ptr<Process>> take();
  // Code::unavailable if the process ends instead of answering.
  Task<std::string> ask(Process& process, std::string_view sql, Format format, Deadline deadline,
                        bool& usable);
  // Why the query has no answer, when the process has exited by itself.
  Task<std::string> explain(Process& process);
  Task<void> end(std::unique_ptr<Process> process);

  const Settings& settings_;
  const std::string settings_text_;
  std::vector<std::unique_ptr<Process>> idle_;
  Scope ending_;
};

}  // namespace patchbay::osquery
