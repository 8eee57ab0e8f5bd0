// The Pipeline takes every call the same way: authenticate, limit, authorize, route, answer,
// record. The order is the security property, so it is code, not configuration.
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

// Makes of an answer one that the client knows what to do with.
class ReplyShape {
 public:
  virtual void give(const Call& call, mcp::Reply& reply) const = 0;

 protected:
  ~ReplyShape() = default;
};

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

  // How many items one page of a list has.
  void set_page(std::size_t page) { page_ = page; }

  // What becomes of arguments and results that do not fit the schemas of their tool.
  void set_validation(const ValidationSettings& validation) { validation_ = validation; }

  // How often calls may be made; null: as often as anyone likes.
  void set_rates(std::shared_ptr<policy::Rates> rates) { rates_ = std::move(rates); }

  // How large results may be, and where those are kept that are larger.
  void set_budgets(std::vector<ResultBudget> budgets) { budgets_ = std::move(budgets); }

  // Whether the rules let `who` use that method. Those without which there is no talk are for all.
  bool may_use(const mcp::Method& method, const Principal& who) const;

  // Whether the client of `call` may be asked something in its course.
  bool can_ask(const Call& call) const;

  // Counts the opening of a session as a call of `who`. Code::rate_limited as for any other.
  Result<void> count_initialize(const Principal& who, std::string_view from) const;

  // Answers `call` and writes it down, whatever becomes of it; `shape` then has the last word.
  Task<mcp::Reply> handle(Call& call, const ReplyShape& shape);

 private:
  // What a call holds while it runs.
  struct Permits {
    std::optional<policy::Limiter::Permit> running;
    policy::Rates::Permit rate;
  };

  Result<void> admit(Call& call, Permits& permits);
  Task<mcp::Reply> route(Call& call, policy::Rates::Permit& rate);
  bool is_current(const Catalog& catalog) const;
  Task<mcp::Reply> list(const Call& call);
  Task<mcp::Reply> send(Call& call, policy::Rates::Permit& permit);
  Task<mcp::Reply> send_about_task(Call& call);
  Task<mcp::Reply> answer(const Call& call, const CatalogEntry& entry, std::string_view own);
  Task<mcp::Reply> subscribe(const Call& call, const CatalogEntry& entry, std::string_view own);
  Task<mcp::Reply> unsubscribe(const Call& call, const CatalogEntry& entry, std::string_view own);
  Result<void> check_arguments(const Call& call, const CatalogEntry& entry) const;
  bool checks_result(const CatalogEntry& entry) const;
  void fit_budget(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const;
  void check_result(const Call& call, const CatalogEntry& entry, mcp::Reply& reply) const;
  void check_task_result(const Call& call, const Catalog& catalog, const TaskIds::Place& place,
                         mcp::Reply& reply) const;
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

// What a client hears that asks for a method that there is not, for it or at all.
Error unknown_method(std::string_view method);

}  // namespace patchbay::gateway
