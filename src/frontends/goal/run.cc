#include "frontends/goal/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/command_line.h"
#include "core/text.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/typed_arguments.h"

namespace patchbay::frontends {
namespace {

using mcp::ItemKind;

constexpr std::string_view kNoSkill = "none";

// Errors of the gateway rather than of a skill refuse the whole goal.
bool is_refusal(Code code) {
  return code == Code::unauthenticated || code == Code::rate_limited || code == Code::overloaded ||
         code == Code::cancelled || code == Code::internal;
}

Task<std::string> failure(Error error) { co_return error; }

}  // namespace

Result<void> check_goal(std::string_view goal, const gateway::GoalSettings& settings) {
  if (trimmed(goal).empty()) return Error{Code::invalid_request, "'goal' must not be blank"};
  // There are never more characters than bytes.
  if (std::cmp_less_equal(goal.size(), settings.length)) return ok();
  const auto characters = std::ranges::count_if(goal, [](char c) { return (c & 0xC0) != 0x80; });
  if (characters <= settings.length) return ok();
  return Error{Code::invalid_request,
               fmt::format("'goal' is longer than {} characters", settings.length)};
}

// One step in progress; for the skill that handles it, also its environment.
class GoalRun::Step final : public GoalTools {
 public:
  // REQUIRES: everything given outlives the step.
  Step(GoalRun& run, std::string_view text, std::string_view previous)
      : run_(run), text_(text), previous_(previous) {}

  // The step's own text chooses the skill, before the output of the previous step is filled in.
  Task<std::string> answer() {
    const auto named = named_step(text_);
    if (named) {
      const auto* const row = run_.table_->by_keyword(named->name, *run_.catalog_);
      if (row) return use_skill(*row, {text_, named->name, named->text});
      if (run_.catalog_->find(ItemKind::tool, named->name)) return use_tool(*named);
      hidden_ = run_.hidden_tool(named->name);
      if (!hidden_.empty()) return ask_hidden();
    }
    return use_any();
  }

  // The name of the skill in the trace.
  std::string_view skill() const { return skill_; }

  const gateway::GoalSettings& settings() const override { return run_.table_->settings(); }

  Task<std::string> call(std::string arguments) override {
    return run_.call_tool(row_->raw_tool, std::move(arguments));
  }

  std::string_view definition() const override {
    const auto* const entry = run_.catalog_->find(ItemKind::tool, row_->tool);
    return entry ? run_.catalog_->definition(ItemKind::tool, *entry) : std::string_view();
  }

  std::string trouble() const override { return run_.trouble_of(row_->upstream); }

 private:
  Task<std::string> use_skill(const Row& row, GoalText goal) {
    row_ = &row;
    skill_ = row.skill->goal_name;
    if (goal.whole.contains(kPrevious)) {
      whole_ = run_.filled(goal.whole, previous_, FillIn::plain);
      filled_ = run_.filled(goal.text, previous_, FillIn::plain);
      if (!whole_ || !filled_) return failure((whole_ ? filled_ : whole_).error());
      goal = {*whole_, goal.keyword, *filled_};
    }
    return row.skill->execute(goal, *this);
  }

  Task<std::string> use_tool(NamedStep named) {
    skill_ = named.name;
    const auto* const entry = run_.catalog_->find(ItemKind::tool, named.name);
    auto arguments =
        run_.arguments_of(run_.catalog_->definition(ItemKind::tool, *entry), named.text, previous_);
    if (!arguments) co_return std::move(arguments).error();
    const std::string raw_name = json::quote(named.name);
    auto answer = co_await run_.call_tool(raw_name, *std::move(arguments));
    // No such tool exists for this caller, so its name is ordinary text.
    if (!answer && answer.error().code == Code::not_found) co_return co_await use_any();
    co_return answer;
  }

  // The first skill that can handle the text.
  Task<std::string> use_any() {
    if (const auto* const row = run_.table_->by_text(text_, *run_.catalog_)) {
      return use_skill(*row, {text_, "", text_});
    }
    if (const auto* const row = run_.hidden_row(text_); row && hidden_.empty()) {
      hidden_ = row->tool;
      return ask_hidden();
    }
    skill_ = kNoSkill;
    return failure({Code::not_found, fmt::format("No skill found to handle goal: {}", text_)});
  }

  // A tool that the rules hide from this caller is called all the same and refused, so that the
  // record has it. For the caller its name is ordinary text.
  Task<std::string> ask_hidden() {
    const std::string raw_name = json::quote(hidden_);
    auto answer = co_await run_.call_tool(raw_name, "{}");
    if (!answer && is_refusal(answer.error().code)) co_return answer;
    co_return co_await use_any();
  }

  GoalRun& run_;
  const std::string_view text_;
  const std::string_view previous_;
  const Row* row_ = nullptr;
  std::string_view skill_;
  std::string hidden_;         // The named tool, if the rules hide it.
  Result<std::string> whole_;  // With {previous} filled in, if it contains that.
  Result<std::string> filled_;
};

GoalRun::GoalRun(const GoalContext& context, std::shared_ptr<const SkillTable> table,
                 gateway::CallOrigin caller, const trace::ReceivedContext& received)
    : context_(context),
      table_(std::move(table)),
      caller_(std::move(caller)),
      trace_(received),
      for_steps_(received),
      deadline_(context.server.deadline()) {}

Task<GoalTrace> GoalRun::run(std::string_view goal) {
  if (context_.recorder) context_.recorder->begin(trace_);
  if (trace_.is_traced()) {
    sent_ = trace_.for_upstream();
    for_steps_ = {sent_.traceparent(), sent_.tracestate(), sent_.baggage()};
  }
  auto trace = co_await run_steps(goal);
  if (trace_.is_recorded()) record(trace);
  co_return trace;
}

// A span above those of the steps. The text of the goal is content and not included.
void GoalRun::record(const Result<GoalTrace>& trace) {
  trace_.end();
  const std::string caller_id = gateway::recorded_id(*caller_.caller);
  auto record =
      gateway::record_of(trace_, gateway::began_unix_ns(trace_, std::chrono::system_clock::now()));
  record.failed = !trace || (!trace->empty() && !trace->back().success);
  record.outcome = !trace ? info(trace.error().code).name : record.failed ? "tool_error" : "ok";
  record.frontend = caller_.frontend;
  record.method = "goal";
  record.caller = caller_.caller->name;
  record.caller_id = caller_id;
  record.from = caller_.from;
  context_.recorder->end(record, trace_);
}

Task<GoalTrace> GoalRun::run_steps(std::string_view goal) {
  catalog_ = context_.catalog.current(*caller_.caller);
  if (!context_.catalog.synced()) {
    auto synced = co_await context_.catalog.wait_synced(*caller_.caller, deadline_);
    if (!synced) co_return synced.error();
    catalog_ = *std::move(synced);
  }
  const auto knows = [this](std::string_view name) {
    return table_->by_keyword(name, *catalog_) || catalog_->find(ItemKind::tool, name);
  };
  const auto steps = split_goal(goal, knows);
  GoalTrace trace;
  if (std::cmp_greater(steps.size(), table_->settings().steps)) {
    trace.push_back({false, std::string(kNoSkill),
                     fmt::format("a goal has at most {} steps", table_->settings().steps)});
    co_return trace;
  }
  trace.reserve(steps.size());
  for (const auto text : steps) {
    const std::string_view previous = trace.empty() ? std::string_view() : trace.back().output;
    Step step(*this, text, previous);
    auto answer = co_await step.answer();
    if (!answer && is_refusal(answer.error().code)) co_return std::move(answer).error();
    trace.push_back({static_cast<bool>(answer), std::string(step.skill()),
                     answer ? *std::move(answer) : std::move(answer.error().message)});
    if (!answer) break;
  }
  co_return trace;
}

// JSON, or key=value pairs, or plain text for a tool with a single string argument.
Result<std::string> GoalRun::arguments_of(std::string_view definition, std::string_view text,
                                          std::string_view previous) const {
  if (text.starts_with('{') && !text.starts_with(kPrevious)) {
    auto object = filled(text, previous, FillIn::json);
    if (!object) return object;
    auto good = json::check(*object);
    if (!good) return good.error();
    return object;
  }
  auto args = split_args(text);
  const bool pairs = args && std::ranges::all_of(*args, [](const std::string& arg) {
                       return arg.find('=') != std::string::npos && !arg.starts_with('=');
                     });
  const auto only = pairs ? std::nullopt : mcp::only_text_argument(definition);
  if (only) {
    auto whole = filled(text, previous, FillIn::plain);
    if (!whole) return whole;
    return fmt::format("{{{}:{}}}", json::quote(*only), json::quote(*whole));
  }
  if (!args) return args.error();
  for (auto& arg : *args) {
    auto with_previous = filled(arg, previous, FillIn::plain);
    if (!with_previous) return with_previous;
    arg = *std::move(with_previous);
  }
  return mcp::typed_arguments(definition, *args);
}

Result<std::string> GoalRun::filled(std::string_view text, std::string_view previous,
                                    FillIn how) const {
  return fill_in(text, previous, how, table_->settings().step.value);
}

Task<std::string> GoalRun::call_tool(std::string_view raw_name, std::string arguments) {
  Request request(*this, kCallTool, {{"name", raw_name}, {"arguments", arguments}});
  auto reply = co_await request.answer();
  if (!reply) co_return reply.error();
  if (reply->is_error) {
    auto message = json::string_member(reply->body, "message").value_or(reply->body);
    co_return Error{reply->why.value_or(Code::upstream_failed), std::move(message)};
  }
  auto [failed, text] = mcp::text_of_result(reply->body);
  if (text.empty()) text = "No content returned";
  if (failed) co_return Error{Code::upstream_failed, std::move(text)};
  co_return text;
}

GoalRun::Request::Request(GoalRun& run, const mcp::Method& method,
                          std::initializer_list<Param> params)
    : server_(run.context_.server),
      request_(method.name, "1"),
      call_(gateway::make_call({.request = request_.message(),
                                .method = method,
                                .revision = mcp::kNewestSessionBased,
                                .frontend = run.caller_.frontend,
                                .caller = run.caller_.caller,
                                .from = run.caller_.from,
                                .client = nobody_,
                                .deadline = run.deadline_,
                                .trace = run.for_steps_})) {
  for (const auto& [key, value] : params) request_.add(key, value);
  call_.bytes_in = request_.size();
}

bool GoalRun::is_hidden(std::string_view tool) const {
  const auto now = context_.catalog.current(*caller_.caller);
  return now->access() && !now->find(ItemKind::tool, tool) &&
         context_.catalog.whole()->find(ItemKind::tool, tool);
}

std::string GoalRun::hidden_tool(std::string_view name) const {
  const auto* const row = table_->by_keyword(name, *context_.catalog.whole());
  const std::string_view tool = row ? std::string_view(row->tool) : name;
  return is_hidden(tool) ? std::string(tool) : std::string();
}

const GoalRun::Row* GoalRun::hidden_row(std::string_view text) const {
  const auto* const row = table_->by_text(text, *context_.catalog.whole());
  return row && is_hidden(row->tool) ? row : nullptr;
}

std::string GoalRun::trouble_of(const std::string& upstream) const {
  const auto lines = context_.operations.upstreams();
  const auto line = std::ranges::find(lines, upstream, &UpstreamLine::name);
  return line == lines.end() || line->state.up ? std::string() : line->state.detail;
}

}  // namespace patchbay::frontends
