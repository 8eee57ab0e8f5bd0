// The settings of the pages for operators and admins, from several sections. Values only.
#pragma once

#include <cstddef>

namespace patchbay::frontends {

struct AdminSettings {
  std::size_t live_streams;             // limits.max_live_streams
  std::size_t live_streams_of_caller;   // limits.max_live_streams_per_caller
  std::size_t live_calls_per_second;    // limits.max_live_calls_per_second
  int audit_queries;                    // audit.max_queries
  int queued_audit_queries;             // audit.max_queued_queries
  std::size_t audit_queries_of_caller;  // audit.max_queries_per_caller
  int queued_admin_jobs;                // limits.max_queued_admin_jobs
  std::size_t upstreams_with_history;   // telemetry.max_history_upstreams
};

}  // namespace patchbay::frontends
