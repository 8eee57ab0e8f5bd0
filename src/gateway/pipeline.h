// The Pipeline takes every call through the same steps: admit, resolve, authorize, check, answer,
// finish. The order is a security property, so it is code, not configuration.
//
// One per worker; confined to it. The limiter is shared by all.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "gateway/approval/consent.h"
#include "gateway/call/call.h"
#include "gateway/call/record.h"
#include "gateway/call/result_budget.h"
#include "gateway/call/subscriptions.h"
#include "gateway/call/task_ids.h"
#include "gateway/call/task_tools.h"
#include "gateway/catalog/view.h"
#include "mcp/reply.h"
#include "policy/rates/limiter.h"
#include "policy/rates/rates.h"

namespace patchbay::gateway {

class Pipeline {
 public:
  // REQUIRES: everything referred to outlives the pipeline.
  Pipeline(policy::Limiter& limiter, CatalogView& catalog, policy::Approvals& approvals,
           Subscriptions& subscriptions, const TaskIds& tasks, TaskTools& task_tools,
           StoredResults& stored, Recorder& recorder)
      : limiter_(limiter),
        catalog_(catalog),
        consent_(approvals, recorder),
        subscriptions_(subscriptions),
        tasks_(tasks),
        task_tools_(task_tools),
        stored_(stored),
        recorder_(recorder) {}

  const Recorder& recorder() const { return recorder_; }

  // The number of items in one page of a list.
  void set_page(std::size_t page) { page_ = page; }

  // What happens to arguments and results that violate the schemas of their tool.
  void set_validation(const ValidationSettings& validation) { validation_ = validation; }

  // The rate limits of calls; null: none.
  void set_rates(std::shared_ptr<policy::Rates> rates) { rates_ = std::move(rates); }

  // How large results may be before they are stored and read in pages.
  void set_budgets(std::vector<ResultBudget> budgets) { budgets_ = std::move(budgets); }

  // Whether the rules let `caller` use that method. The methods of the handshake are for all.
  bool may_use(const mcp::Method& method, const Principal& caller) const;

  // The catalog that `caller` has access to, once every upstream has had its chance to start, or at
  // `deadline`.
  Task<std::shared_ptr<const Catalog>> wait_for_catalog(const Principal& caller,
                                                        Deadline deadline) const {
    return catalog_.wait_synced(caller, deadline);
  }

  // Whether the client of `call` may have to answer a question while it runs. Resolves the call.
  bool can_ask(Call& call) const;

  // Counts an `initialize` as a call of `caller`. Code::rate_limited as for any other call.
  Result<void> count_initialize(const Principal& caller, std::string_view from) const;

  // Answers `call` in the form of its client's revision, and records it, whatever the outcome.
  Task<mcp::Reply> handle(Call& call);

 private:
  // The resources that a call holds while it runs.
  struct Permits {
    std::optional<policy::Limiter::Permit> running;
    policy::Rates::Permit rate;
  };

  Result<void> admit(Call& call, Permits& permits);
  Result<void> resolve(Call& call) const;
  bool waits_for_catalog(const Call& call) const;
  Task<void> resolve_when_synced(Call& call);
  Result<void> authorize(Call& call, policy::Rates::Permit& permit);
  Result<void> check(const Call& call) const;
  Task<mcp::Reply> answer(Call& call);
  void finish(Call& call, Result<mcp::Reply>& reply) const;

  Task<mcp::Reply> list(const Call& call);
  Task<mcp::Reply> answer_about_task(Call& call);
  Task<mcp::Reply> read_stored(const Call& call);
  Task<mcp::Reply> send_with_consent(Call& call);
  Task<mcp::Reply> send(const Call& call);
  Task<mcp::Reply> subscribe(const Call& call);
  Task<mcp::Reply> unsubscribe(const Call& call);
  bool is_current(const Catalog& catalog) const;
  Result<void> check_arguments(const Call& call, const CatalogEntry& entry) const;
  bool checks_result(const CatalogEntry& entry) const;
  void fit_budget(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const;
  void check_result(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const;
  void check_task_result(const Call& call, const Catalog& catalog,
                         const TaskIds::Location& location, mcp::Reply& reply) const;
  void refuse_violation(const CatalogEntry& entry, std::string_view result,
                        mcp::Reply& reply) const;

  policy::Limiter& limiter_;
  CatalogView& catalog_;
  Consent consent_;
  Subscriptions& subscriptions_;
  const TaskIds& tasks_;
  TaskTools& task_tools_;
  StoredResults& stored_;
  Recorder& recorder_;
  std::shared_ptr<policy::Rates> rates_;
  std::vector<ResultBudget> budgets_;
  std::size_t page_ = 1000;
  ValidationSettings validation_;
};

// The error for a method that does not exist, or not for this caller.
Error unknown_method(std::string_view method);

}  // namespace patchbay::gateway
