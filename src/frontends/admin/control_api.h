// The control API, /control/v1: the state of the gateway, its upstreams, its clients and finished
// calls, for the commands `status`, `top`, `trace` and `audit`, and for other programs.
// docs/admin-api.md describes it for people, and /control/v1/openapi.json for programs.
//
// Admins (admin.h) see everything. Other callers see their own calls, sessions and audit records,
// and the upstreams and items that the rules let them use. Results, credentials and session ids are
// never returned, and arguments only of calls that wait for approval.
//
// One per worker; confined to it. The objects that it reads are shared.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "async/thread_pool.h"
#include "cluster/members.h"
#include "frontends/admin/call_filter.h"
#include "frontends/admin/caller_quota.h"
#include "frontends/admin/load.h"
#include "frontends/admin/load_history.h"
#include "frontends/operations.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"
#include "policy/rules/approvals.h"
#include "trace/call_histories.h"

namespace patchbay::frontends {

// The OpenAPI document, raw.
const std::string& control_openapi();

// The objects that all workers share.
struct ControlShared {
  const OperationsView& operations;
  const trace::CallHistories& histories;
  policy::Approvals& approvals;
  const cluster::Members& members;
  Load load;
  LoadHistory history;
  ThreadPool audit_threads{1, 0};  // Queries of the audit database block.
  CallerQuota audit_queries{{"queries of the audit database", "audit.max_queued_queries",
                             "audit.max_queries_per_caller"}};
  // Requests of admins that are too long for a worker: tokens are hashed, configurations parsed.
  ThreadPool job_threads{1, 0};
  CallerQuota jobs{{"requests about tokens and the configuration", "limits.max_queued_admin_jobs",
                    "limits.max_queued_admin_jobs"}};
  CallerQuota live_streams{
      {"live streams of calls", "limits.max_live_streams", "limits.max_live_streams_per_caller"}};
  std::atomic<std::size_t> live_calls_per_second = 0;  // Of each stream.
  const std::chrono::system_clock::time_point started = std::chrono::system_clock::now();

  // The result of long work for an admin. Code::overloaded, with the name of the setting, if too
  // much waits.
  template <class T>
  Task<T> run_job(std::function<Result<T>()> work) {
    const auto slot = jobs.take("admins", true);
    if (!slot) co_return slot.error();
    auto running = job_threads.run<T>(std::move(work));
    co_return co_await running;
  }
};

class ControlApi final : public net::HttpHandler {
 public:
  // REQUIRES: all outlive this.
  ControlApi(ControlShared& shared, const gateway::CatalogView& catalog,
             const gateway::Recorder& recorder)
      : shared_(shared), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  // A request in the form that the pages need.
  struct Asked {
    std::string rest;  // Of the path, decoded.
    QueryParameters query;
    Caller caller;
    bool sees_all = false;
    std::shared_ptr<const gateway::Catalog> catalog;  // The catalog as the caller sees it.

    bool sees(std::string_view upstream) const;
  };
  using Page = Result<std::string> (ControlApi::*)(Asked& asked);
  struct Row {
    std::string_view path;
    Page page;
    bool below;      // The path has a further segment.
    bool cacheable;  // With an ETag.
  };
  static const Row* find_row(std::string_view path);

  Task<std::string> answer(const net::HttpExchange& exchange, const Row& row);
  Result<std::string> status(Asked& asked);
  Result<std::string> cluster(Asked& asked);
  Result<std::string> upstreams(Asked& asked);
  Result<std::string> clients(Asked& asked);
  Result<std::string> calls(Asked& asked);
  Result<std::string> traces(Asked& asked);
  Result<std::string> load(Asked& asked);
  Result<std::string> history(Asked& asked);
  Result<std::string> catalog(Asked& asked);
  Result<std::string> openapi(Asked& asked);
  Task<std::string> approvals(Asked asked);
  Task<std::string> audit(Asked asked);

  Result<std::vector<trace::StoredCall>> calls_of_trace(const Asked& asked);

  ControlShared& shared_;
  const gateway::CatalogView& catalog_;
  const gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
