// A GoalRun is one goal in progress: its steps in order, each a call through the pipeline, until
// one fails.
//
// Confined to the worker on which it began; lives inside the task that wants the answer.
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

// What goals need of their worker. Outlives every run.
struct GoalContext {
  gateway::McpServer& server;
  gateway::CatalogView& catalog;
  const OperationsView& operations;
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

// Why `goal` cannot be taken at all: blank, or longer than the settings allow.
Result<void> check_goal(std::string_view goal, const gateway::GoalSettings& settings);

class GoalRun {
 public:
  // `caller` names the front end in the log.
  GoalRun(const GoalContext& context, std::shared_ptr<const SkillTable> table,
          gateway::CallOrigin caller);

  // What was done, step by step: at least one, and only the last may have failed. An Error means
  // that the gateway refused, not that a skill failed.
  Task<GoalTrace> run(std::string_view goal);

  // One member of what is asked: its key, and its value in raw JSON.
  struct Param {
    std::string_view key;
    std::string_view value;
  };

  // One request on behalf of the caller of the goal.
  class Request {
   public:
    // REQUIRES: the run, the keys and the values outlive the request.
    Request(GoalRun& run, const mcp::Method& method, std::initializer_list<Param> params);

    // Asks through the pipeline, once. An error of the gateway's own is part of the reply.
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

  Task<std::string> call_tool(std::string_view raw_name, std::string arguments);
  Result<std::string> arguments_of(std::string_view definition, std::string_view text,
                                   std::string_view previous) const;
  Result<std::string> filled(std::string_view text, std::string_view previous, FillIn how) const;
  std::string trouble_of(const std::string& upstream) const;
  // Whether there is such a tool, which the rules leave out for the caller.
  bool is_hidden(std::string_view tool) const;
  // The tool that a name, or a text without one, means if it is such; empty or null otherwise.
  std::string hidden_tool(std::string_view name) const;
  const Row* hidden_row(std::string_view text) const;

  const GoalContext& context_;
  const std::shared_ptr<const SkillTable> table_;
  const gateway::CallOrigin caller_;
  const Deadline deadline_;
  std::shared_ptr<const gateway::Catalog> catalog_;
};

}  // namespace patchbay::frontends
