#include "frontends/goal/frontend.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "frontends/content_types.h"
#include "frontends/received_context.h"
#include "json/read.h"
#include "net/http/syntax/accept.h"

namespace patchbay::frontends {
namespace {

using net::HttpExchange;

constexpr std::string_view kFrontend = "goal";

// A client that disconnects needs no answer, so its goal is cancelled.
class LeaveStop final : net::Source::Hangup {
 public:
  explicit LeaveStop(HttpExchange& exchange) : exchange_(exchange) { exchange_.watch_hangup(this); }
  LeaveStop(const LeaveStop&) = delete;
  LeaveStop& operator=(const LeaveStop&) = delete;
  ~LeaveStop() { exchange_.watch_hangup(nullptr); }

  Stop& stop() { return stop_; }

 private:
  void on_hangup() override { stop_.request(); }

  HttpExchange& exchange_;
  Stop stop_;
};

std::string error_text(std::string_view message) {
  return fmt::format("{{\"error\":{}}}", json::quote(message));
}

Task<void> refuse(HttpExchange& exchange, int status, std::string message) {
  const std::string text = error_text(message);
  co_return co_await exchange.answer(status, kJsonUtf8, {text});
}

// The goal: a slice of the body or, if it has escapes there, `decoded`.
Result<std::string_view> read_goal(std::string_view body, std::string& decoded,
                                   const gateway::GoalSettings& settings) {
  json::Cursor at(body);
  if (at.peek() != json::Type::object) {
    auto good = json::check(body);
    return good ? Error{Code::invalid_request, "the body must be a JSON object"} : good.error();
  }
  std::optional<std::string_view> given;
  at.enter_object();
  for (std::string_view key, value; at.next_member(key) && at.value(value);) {
    if (key == "goal") given = value;
  }
  if (at.failed() || !at.finish()) return at.error();
  if (!given) return Error{Code::invalid_request, "'goal' is missing"};
  const auto goal = json::as_text(*given, decoded);
  if (!goal) return Error{Code::invalid_request, "'goal' must be a string of Unicode text"};
  auto good = check_goal(*goal, settings);
  if (!good) return good.error();
  return *goal;
}

std::string answer_text(std::string_view goal, const GoalTrace& trace) {
  std::size_t size = goal.size() + trace.back().output.size() + 64;
  for (const auto& step : trace) size += step.skill.size() + step.output.size() + 64;
  std::string text;
  text.reserve(size);
  std::size_t output = 0;  // The start of the last output, which is also the final one.
  text += "{\"goal\":";
  json::append_quoted(text, goal);
  text += ",\"trace\":[";
  for (const auto& step : trace) {
    if (!text.ends_with('[')) text += ',';
    text += step.success ? "{\"success\":true,\"skillName\":" : "{\"success\":false,\"skillName\":";
    json::append_quoted(text, step.skill);
    text += ",\"output\":";
    output = text.size();
    json::append_quoted(text, step.output);
    text += '}';
  }
  const std::size_t output_size = text.size() - 1 - output;
  text += "],\"finalOutput\":";
  text.append(text, output, output_size);
  text += '}';
  return text;
}

// The tools that the caller may use, as in its own list.
Task<std::set<std::string>> listed_tools(GoalRun& run) {
  std::set<std::string> names;
  for (std::string cursor = "\"\"";;) {
    GoalRun::Request request(run, kListTools, {{"cursor", cursor}});
    auto reply = co_await request.answer();
    if (!reply) co_return reply.error();
    if (reply->is_error) {
      co_return Error{reply->why.value_or(Code::internal),
                      json::string_member(reply->body, "message").value_or("")};
    }
    const auto tools = json::member(reply->body, "tools").value_or("[]");
    json::each_element(tools, [&](std::string_view tool) {
      names.insert(json::string_member(tool, "name").value_or(""));
    });
    const auto next = json::member(reply->body, "nextCursor");
    if (!next) co_return names;
    cursor = *next;
  }
}

}  // namespace

std::unique_ptr<Frontend> SharedGoalFrontend::make(const WorkerServices& worker) {
  return std::make_unique<GoalFrontend>(
      *this, GoalContext{worker.server, worker.catalog, operations_, &worker.recorder});
}

std::vector<SharedFrontend::Entrance> SharedGoalFrontend::entrances() const {
  return {{"goals", {"/api/agent/execute"}}};
}

net::HttpRefusal GoalFrontend::goal_refusal(std::string_view message) {
  return {kJsonUtf8, error_text(message)};
}

GoalRun GoalFrontend::begin(HttpExchange& exchange) {
  return GoalRun(context_, table_, {kFrontend, exchange.caller, exchange.peer.ip},
                 received_context(exchange));
}

Task<void> GoalFrontend::Execute::handle(HttpExchange& exchange) {
  if (!net::is_json(exchange.request)) {
    co_return co_await refuse(exchange, 415, "Content-Type must be application/json");
  }
  if (!accepts(exchange.request, net::kJson)) {
    co_return co_await refuse(exchange, 406, "Accept must allow application/json");
  }
  std::string decoded;
  const auto goal = read_goal(exchange.body, decoded, frontend_.table_->settings());
  if (!goal) co_return co_await refuse(exchange, 400, goal.error().message);
  GoalRun run = frontend_.begin(exchange);
  Result<GoalTrace> trace;
  {
    LeaveStop leave(exchange);
    const StopLink link(co_await current_stop(), leave.stop());
    auto running = run.run(*goal);
    trace = co_await running.with_stop(leave.stop());
  }
  if (!trace) {
    co_return co_await refuse(exchange, info(trace.error().code).http, trace.error().message);
  }
  const std::string text = answer_text(*goal, *trace);
  co_return co_await exchange.answer(200, kJsonUtf8, {text});
}

Task<void> GoalFrontend::Skills::handle(HttpExchange& exchange) {
  GoalRun run = frontend_.begin(exchange);
  const auto table = frontend_.table_;
  auto tools = co_await listed_tools(run);
  if (!tools) {
    co_return co_await refuse(exchange, info(tools.error().code).http, tools.error().message);
  }
  const auto catalog = frontend_.context_.catalog.current(*exchange.caller);
  int count = 0;
  std::string names;
  for (const auto& row : table->rows()) {
    const auto* const entry = catalog->find(mcp::ItemKind::tool, row.tool);
    // Tools that only goals use are in no list.
    if (!entry || (entry->offered && !tools->contains(entry->listed))) continue;
    if (count++ > 0) names += ',';
    json::append_quoted(names, row.skill->goal_name);
  }
  const std::string text = fmt::format("{{\"count\":{},\"skills\":[{}]}}", count, names);
  co_return co_await exchange.answer(200, kJsonUtf8, {text});
}

}  // namespace patchbay::frontends
