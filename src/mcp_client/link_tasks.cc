#include "mcp_client/link_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/discard.h"
#include "gateway/call/clock.h"
#include "gateway/call/task_ids.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp_client/input_round.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kOtherwise =
    std::chrono::seconds(1);  // Between polls, if the server states no interval.

constexpr auto kLongestFollowed = std::chrono::hours(1);  // For a session.

bool has_session(const gateway::Call& call) { return !mcp::info(call.revision).stateless; }

bool knows_tasks(const gateway::Call& call) {
  if (call.revision == mcp::Revision::v2025_11_25) return call.request.param("task") != nullptr;
  return mcp::abilities_of(call.revision, call.capabilities).tasks;
}

// The error by which a stateless server states that it answers such a call only with a task.
bool wants_tasks(const mcp::Reply& reply) {
  if (!reply.is_error || json::member(reply.body, "code") != "-32021") return false;
  const auto data = json::member(reply.body, "data").value_or("{}");
  const auto needed = json::member(data, "requiredCapabilities").value_or("{}");
  const auto extensions = json::member(needed, "extensions").value_or("{}");
  return json::member(extensions, mcp::kTasksExtension).has_value();
}

Error malformed() { return {Code::upstream_failed, "the upstream made a task without an id"}; }

}  // namespace

std::string LinkTasks::listed(const gateway::Call& call, std::string_view id) const {
  return gateway::listed_task(call, upstream_id(id));
}

mcp::Reply LinkTasks::with_listed(const gateway::Call& call, mcp::Reply reply) const {
  if (reply.is_error) return reply;
  auto made = mcp::scanned_reply(
      mcp::with_task_ids(reply.body, [&](std::string_view id) { return listed(call, id); }));
  made.from = reply.from;
  return made;
}

LinkTasks::Use LinkTasks::use_for(const gateway::Call& call, bool stateless_server) {
  if (stateless_server) {
    if (knows_tasks(call)) return Use::task;
    return has_session(call) ? Use::if_required : Use::none;
  }
  if (call.task_support == mcp::TaskSupport::none) return Use::none;
  if (knows_tasks(call)) return Use::task;
  // A client whose revision has `taskSupport` must request a task for a tool that runs only as one.
  const bool reads_it = call.revision == mcp::Revision::v2025_11_25;
  return call.task_support == mcp::TaskSupport::required && !reads_it ? Use::wait : Use::none;
}

Task<mcp::Reply> LinkTasks::call(const gateway::Call& call, std::string_view tool, Use use,
                                 Deadline& deadline) {
  TaskFields fields{.declared = use != Use::if_required};
  if (fields.declared && !stateless()) {
    const auto* const given = has_session(call) ? call.request.param("task") : nullptr;
    fields.task = given ? given->raw : "{}";
  }
  auto reply = co_await link_.exchange(call, tool, fields, deadline);
  if (use == Use::if_required && reply && wants_tasks(*reply)) {
    use = Use::wait;
    fields.declared = true;
    reply = co_await link_.exchange(call, tool, fields, deadline);
  }
  if (!reply || reply->is_error) co_return reply;
  const bool made = stateless() ? reply->type == mcp::ResultType::task : fields.declared;
  if (made) co_return co_await created(call, *std::move(reply), use, deadline);
  // A client with a session that has requested a task always gets one.
  const bool requested = use == Use::task && has_session(call);
  co_return requested ? finished(call, *std::move(reply)) : *std::move(reply);
}

Task<mcp::Reply> LinkTasks::created(const gateway::Call& call, mcp::Reply reply, Use use,
                                    Deadline deadline) {
  const std::string_view task =
      stateless() ? reply.body : json::member(reply.body, "task").value_or("{}");
  const auto id = json::string_member(task, "taskId");
  if (!id) co_return malformed();
  if (use == Use::wait) co_return co_await wait_for(call, *id, deadline);
  if (stateless() && has_session(call)) {
    // Its session receives updates; a session-based server sends them by itself.
    const auto ttl = json::as_int(json::member(task, "ttlMs").value_or(""));
    const auto longest = std::chrono::milliseconds(kLongestFollowed).count();
    const auto time = std::clamp<std::int64_t>(ttl.value_or(longest), 0, longest);
    scope_.spawn(follow_for_session(*id, here().now() + std::chrono::milliseconds(time)));
    reply.body = mcp::session_created_task(reply.body);
  }
  if (!stateless() && !has_session(call)) reply.body = mcp::stateless_created_task(reply.body);
  auto result = with_listed(call, std::move(reply));
  result.task = upstream_id(*id);
  co_return result;
}

mcp::Reply LinkTasks::finished(const gateway::Call& call, mcp::Reply reply) {
  const auto* const asked = call.request.param("task");
  const auto ttl = asked ? json::member(asked->raw, "ttl") : std::nullopt;
  const auto& stored = finished_.keep(std::move(reply), ttl ? json::as_int(*ttl) : std::nullopt);
  auto result = with_listed(call, mcp::result_reply(fmt::format(R"({{"task":{}}})", stored.state)));
  result.task = upstream_id(stored.id);
  return result;
}

// For a client that must not notice the task.
Task<mcp::Reply> LinkTasks::wait_for(const gateway::Call& call, const std::string& id,
                                     Deadline deadline) {
  auto waiting = stateless() ? outcome(call, id, deadline)
                             : link_.ask_about(&call, "tasks/result", id, "", deadline);
  auto reply = co_await waiting;
  if (!reply) scope_.spawn(give_up(id));
  const bool unasked = !reply && reply.error().code == Code::missing_capability;
  co_return unasked ? cannot_ask(call, reply.error()) : std::move(reply);
}

// No client waits for the result of the task any more.
Task<void> LinkTasks::give_up(std::string id) {
  auto cancelled =
      co_await link_.ask_about(nullptr, "tasks/cancel", id, "", here().now() + kOtherwise);
  discard(cancelled, "a server that ignores it finishes a task that nobody needs");
  co_return ok();
}

Task<mcp::Reply> LinkTasks::answer(const gateway::Call& call, std::string id, Deadline deadline) {
  const mcp::Action action = call.method.action;
  if (action == mcp::Action::task_follow) co_return co_await follow(call, id, deadline);
  if (action == mcp::Action::task_unfollow) co_return unfollow(id);
  if (!link_.has_tasks()) co_return Error{Code::not_found, "there is no such task any more"};
  if (stateless() && has_session(call)) co_return co_await answer_session(call, id, deadline);
  if (!stateless() && !has_session(call)) co_return co_await answer_stateless(call, id, deadline);
  auto reply = co_await link_.exchange(call, id, {.declared = true}, deadline);
  co_return reply ? with_listed(call, *std::move(reply)) : std::move(reply);
}

Task<mcp::Reply> LinkTasks::answer_session(const gateway::Call& call, const std::string& id,
                                           Deadline deadline) {
  const mcp::Action action = call.method.action;
  if (const auto* const stored = finished_.find(id)) {
    if (action == mcp::Action::task_cancel) {
      co_return Error{Code::invalid_params, "the task has come to its end already"};
    }
    auto reply = action == mcp::Action::task_get ? mcp::result_reply(stored->state) : stored->reply;
    if (action == mcp::Action::task_result && !reply.is_error) {
      reply.body = mcp::with_related_task(reply.body, id);
    }
    co_return with_listed(call, std::move(reply));
  }
  if (action == mcp::Action::task_cancel) co_return co_await cancel_for_session(call, id, deadline);
  if (action == mcp::Action::task_result) {
    auto reply = co_await outcome(call, id, deadline);
    if (reply && !reply->is_error) reply->body = mcp::with_related_task(reply->body, id);
    co_return reply ? with_listed(call, *std::move(reply)) : std::move(reply);
  }
  auto state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
  if (state && !state->is_error) state->body = mcp::session_task(state->body);
  co_return state ? with_listed(call, *std::move(state)) : std::move(state);
}

Task<mcp::Reply> LinkTasks::cancel_for_session(const gateway::Call& call, const std::string& id,
                                               Deadline deadline) {
  auto state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
  if (!state || state->is_error) co_return state;
  if (const auto status = mcp::task_status(state->body); mcp::is_final(status)) {
    co_return Error{Code::invalid_params, fmt::format("the task is {} already", status)};
  }
  auto cancelled = co_await link_.ask_about(&call, "tasks/cancel", id, "", deadline);
  if (!cancelled || cancelled->is_error) co_return cancelled;
  state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
  if (state && !state->is_error) state->body = mcp::session_task(state->body);
  co_return state ? with_listed(call, *std::move(state)) : std::move(state);
}

// Polls a task of a stateless server until it has ended, and asks the client its questions
// meanwhile.
Task<mcp::Reply> LinkTasks::outcome(const gateway::Call& call, const std::string& id,
                                    Deadline deadline) {
  InputRound round{.related =
                       call.method.action == mcp::Action::task_result ? listed(call, id) : ""};
  for (;;) {
    auto state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
    if (!state || state->is_error) co_return state;
    if (auto known = mcp::outcome_of(state->body)) {
      known->from = state->from;
      co_return *std::move(known);
    }
    if (mcp::is_final(mcp::task_status(state->body))) {
      co_return Error{Code::invalid_params, "the task was cancelled"};
    }
    if (has_inputs(state->body, round)) {
      const Deadline asked_at = here().now();
      const auto left = deadline - asked_at;
      auto answers = co_await ask_inputs(call, state->body, round, here().now() + call.timeout);
      if (!answers) co_return answers.error();
      gateway::pause_clock(call, here().now() - asked_at);
      deadline = here().now() + left;
      auto updated = co_await link_.ask_about(&call, "tasks/update", id, *answers, deadline);
      if (!updated || updated->is_error) co_return updated;
      continue;
    }
    const auto interval = mcp::poll_interval(state->body);
    const auto pause = std::clamp<std::chrono::nanoseconds>(
        interval ? std::chrono::milliseconds(*interval) : kOtherwise, settings_.fastest,
        settings_.slowest);
    if (here().now() + pause >= deadline) {
      co_return Error{Code::timeout, "the task has not come to its end in time"};
    }
    auto slept = co_await sleep_until(here().now() + pause);
    if (!slept) co_return slept.error();
  }
}

Task<void> LinkTasks::stop() {
  scope_.cancel();
  auto ended = co_await scope_.drain(kNever);
  proxied_.clear();
  co_return ended;
}

}  // namespace patchbay::upstreams
