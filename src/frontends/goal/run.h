// A GoalRun is one goal in progress: its steps in order, each a call through the pipeline, until
// one fails.
//
// Confined to the worker on which it began; owned by the task that awaits the answer.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/goal/skill_table.h"
#include "frontends/goal/steps.h"
#include "frontends/operations.h"
#include "frontends/synthetic_request.h"
#include "gateway/call/make_call.h"
#include "gateway/catalog/view.h"
#include "gateway/server.h"

namespace patchbay::frontends {

// The services of a worker that goals need. Outlives every run.
struct GoalContext {
  gateway::McpServer& server;
  gateway::CatalogView& catalog;
  const OperationsView& operations;
  const gateway::Recorder* recorder = nullptr;  // Null: goals are not recorded.
};

// What a run asks for.
inline constexpr const mcp::Method& kListTools =
    *mcp::find_method("tools/list", mcp::kNewestSessionBased);
inline constexpr const mcp::Method& kCallTool =
    *mcp::find_method("tools/call", mcp::kNewestSessionBased);

struct GoalStep {
  bool success = false;
  std::string skill;
  std::string output;
};
using GoalTrace = std::vector<GoalStep>;

// Why `goal` is refused: blank, or longer than the settings allow.
Result<void> check_goal(std::string_view goal, const gateway::GoalSettings& settings);

class GoalRun {
 public:
  // `caller` is the frontend's name in the log. Each step continues the trace of `received`, whose
  // texts outlive the run.
  GoalRun(const GoalContext& context, std::shared_ptr<const SkillTable> table,
          gateway::CallOrigin caller, const trace::ReceivedContext& received = {});

  // The executed steps: at least one, and only the last may have failed. An Error means that the
  // gateway refused, not that a skill failed.
  Task<GoalTrace> run(std::string_view goal);

  // One parameter of a request: its key, and its value in raw JSON.
  struct Param {
    std::string_view key;
    std::string_view value;
  };

  // One request on behalf of the caller of the goal.
  class Request {
   public:
    // REQUIRES: the run, the keys and the values outlive the request.
    Request(GoalRun& run, const mcp::Method& method, std::initializer_list<Param> params);

    // Sends the request through the pipeline, once. An error of the gateway itself is part of the
    // reply.
    Task<mcp::Reply> answer() { return server_.answer(call_); }

   private:
    gateway::McpServer& server_;
    SyntheticRequest request_;
    gateway::SilentPeer nobody_;
    gateway::Call call_;
  };

 private:
  class Step;
  using Row = SkillTable::Row;

  Task<GoalTrace> run_steps(std::string_view goal);
  void record(const Result<GoalTrace>& trace);
  Task<std::string> call_tool(std::string_view raw_name, std::string arguments);
  Result<std::string> arguments_of(std::string_view definition, std::string_view text,
                                   std::string_view previous) const;
  Result<std::string> filled(std::string_view text, std::string_view previous, FillIn how) const;
  std::string trouble_of(const std::string& upstream) const;
  // Whether a tool of that name exists that the rules hide from the caller.
  bool is_hidden(std::string_view tool) const;
  // The hidden tool that a name, or a text without a name, refers to; empty or null if there is
  // none.
  std::string hidden_tool(std::string_view name) const;
  const Row* hidden_row(std::string_view text) const;

  const GoalContext& context_;
  const std::shared_ptr<const SkillTable> table_;
  const gateway::CallOrigin caller_;
  trace::CallTrace trace_;
  trace::ReceivedContext for_steps_;  // The context that each step continues.
  trace::SentContext sent_;           // The same, while the goal has a span of its own.
  const Deadline deadline_;
  std::shared_ptr<const gateway::Catalog> catalog_;
};

}  // namespace patchbay::frontends
